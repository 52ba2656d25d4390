"""Backend: fit a module to one target, launch it and emit it."""
