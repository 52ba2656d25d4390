"""Kernels from Triton's text and back."""
