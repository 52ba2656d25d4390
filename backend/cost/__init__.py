"""What a module should take on a target, without running it."""
