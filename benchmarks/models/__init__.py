"""Whole models under torch.compile: which of Inductor's kernels are recorded, answered and replaced."""
