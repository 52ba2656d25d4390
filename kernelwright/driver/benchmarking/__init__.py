"""Asking a policy about many problems: to measure it, and for answers to learn from."""
