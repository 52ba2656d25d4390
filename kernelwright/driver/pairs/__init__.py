"""Verified pairs to learn from."""
