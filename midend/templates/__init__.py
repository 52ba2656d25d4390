"""Texts of Triton kernels for operators that are otherwise left to libraries, written for given shapes and strides."""
