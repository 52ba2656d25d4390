"""Kernels compiled for a target, GPU or not, and Triton's IR as text."""
