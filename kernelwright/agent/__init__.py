"""What a policy and an evaluator are; needs neither torch nor triton."""
