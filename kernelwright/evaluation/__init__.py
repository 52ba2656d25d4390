"""Evaluation: what a candidate program is worth, rung by rung."""
