"""Faster kernels for a model: searched for one by one, verified, and admitted if they win in the running model."""
