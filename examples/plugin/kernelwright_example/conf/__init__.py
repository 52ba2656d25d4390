"""Configuration that Kernelwright finds beside its own."""
