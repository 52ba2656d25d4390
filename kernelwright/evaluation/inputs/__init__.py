"""Which inputs and weights a candidate is checked on."""
