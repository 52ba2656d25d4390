"""Training the agents: returns, advantages, corrections, losses, supervised warm start, rollouts, checkpoints."""
