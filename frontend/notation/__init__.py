"""The short form in which small models write programs: what a kernel loads, computes and stores, and nothing else."""
