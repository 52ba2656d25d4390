"""How jobs, tensors and answers travel between processes."""
