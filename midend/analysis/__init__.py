"""What rewrites read: launches and host code."""
