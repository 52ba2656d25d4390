"""Rewrites of kernels that go over rows."""
