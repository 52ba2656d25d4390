"""One program through a pipeline, and what came of it."""
