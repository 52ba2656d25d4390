"""What a worker's children do: the reference, a compilation, a candidate's calls."""
