"""What is true of a kernel: shapes, indices, accesses, axes, the order of memory."""
