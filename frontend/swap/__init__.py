"""Inductor's kernels one by one: seen as they are made, recorded as problems, replaced as they load."""
