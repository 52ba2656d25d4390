"""Replacements for Inductor's kernels, kept between processes."""
