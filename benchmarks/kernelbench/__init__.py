"""KernelBench: search on every problem, and what became of its winners."""
