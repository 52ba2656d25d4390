"""Agents: how they are trained, and what they answer."""
