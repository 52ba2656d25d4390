"""Candidates judged, one or a batch."""
