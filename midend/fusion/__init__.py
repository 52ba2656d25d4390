"""Rewrites that make one kernel of several."""
