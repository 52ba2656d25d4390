"""The judge: what it finds, what it costs, and how well it times."""
