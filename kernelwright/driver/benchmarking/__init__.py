"""A policy measured on a suite: pass@k, fast_p, failure classes."""
