"""A stage's agent trained."""
