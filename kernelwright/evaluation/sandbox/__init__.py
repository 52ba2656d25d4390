"""Processes that run hostile code behind walls."""
