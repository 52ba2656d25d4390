"""The command line: help, verbs, Hydra."""
