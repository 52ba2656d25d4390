"""Hydra configuration, one group per concern."""
