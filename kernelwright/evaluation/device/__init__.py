"""The trusted side: owns the memory, moves data and runs kernels for a host that sees none of it."""
