"""Launch options fitted to a target."""
