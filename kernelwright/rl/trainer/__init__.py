"""The learner, supervised and reinforced, its batches and checkpoints."""
