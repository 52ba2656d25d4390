"""Kernelwright: a staged compiler from PyTorch to verified, tuned Triton."""

__version__ = "0.1.0"
