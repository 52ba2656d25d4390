"""One candidate's way up the rungs, and what the judge knows of its reference."""
