"""Rewrites of what stands inside one kernel."""
