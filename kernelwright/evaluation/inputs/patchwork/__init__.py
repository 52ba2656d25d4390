"""Draws whose rows are each of a kind and a size of their own: one call shows many rows, as batches have them."""
