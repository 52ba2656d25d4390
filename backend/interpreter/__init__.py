"""Kernels on the CPU with every access checked: Triton's interpreter over guarded memory."""
