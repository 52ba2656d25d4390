"""The strength of the checks: faulty variants of a right module, and the share of them that an evaluator kills."""
