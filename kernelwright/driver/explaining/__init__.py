"""What runs in a compiled model, kernel by kernel, and why: for people."""
