"""Inductor's own lowering, captured as text and normalised into plain standalone Triton."""
