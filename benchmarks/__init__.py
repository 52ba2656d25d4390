"""What was measured and how: a folder a subject, run as `python -m benchmarks.SUBJECT.SCRIPT`."""
