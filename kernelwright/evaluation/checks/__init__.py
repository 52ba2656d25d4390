"""Right or wrong: outputs compared with what they should be, and times and profiles with what they may be."""
