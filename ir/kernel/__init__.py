"""The body of a kernel as a value: what it computes, blind to how it is spelt.

`parsing.parse_function` reads a `@triton.jit` function of the dialect into a `Function`, `printing.print_function`
writes one back, and `parse(print(f)) == f`. Names, temporaries, comments and the order of independent computing are
gone; parameters, branches, loops and the order of memory accesses stay. Nothing is specialised: block sizes are
parameters, branches on them are branches.

Why no library: xDSL keeps operations in linked lists that rewrites change in place, equal by identity, and demands a
type of every value; MLIR's text exists for one set of block sizes and dtypes only. A kernel here is frozen, compares by
content and has no dtypes before its launch. Taken from both: operations with regions and results, carried values as
region arguments, a verifier apart from the parser, analyses apart from the value, a generic text for people (`dump`).
"""
