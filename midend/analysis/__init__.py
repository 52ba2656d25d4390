"""What rewrites read: launches, host code, indices, and work by element."""
