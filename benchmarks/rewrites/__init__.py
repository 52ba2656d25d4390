"""Kernels in the kernel IR, and the rewrites that work on it."""
