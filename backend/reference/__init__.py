"""The program that says what to compute: built, run, and run in wider numbers."""
