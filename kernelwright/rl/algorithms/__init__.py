"""Returns, advantages, corrections and losses, and the published compositions of them."""
