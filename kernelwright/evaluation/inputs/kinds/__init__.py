"""What draws of several kinds make of an input."""
