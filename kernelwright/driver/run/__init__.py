"""How long work goes on: progress, stops, locks, journals, workers."""
