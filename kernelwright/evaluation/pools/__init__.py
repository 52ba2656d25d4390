"""Many evaluators at a time: in this process, in another, on a Ray cluster."""
