"""Mid-end: from correct Triton to faster Triton."""
