"""Frontend: from a PyTorch program to correct Triton."""
