"""Many programs through a pipeline."""
