"""Arms compared on the same problems with the same seeds."""
