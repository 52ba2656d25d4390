"""What a candidate is checked on, and right or wrong."""
