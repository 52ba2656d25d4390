"""The verbs of the command line, one module each.

A verb's module docstring is its help; `FLAGS` lists its flags; `run(arguments)` returns the exit status.
"""
