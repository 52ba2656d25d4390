"""The vocabulary of the short form, for its reader and its writer.

A program is paragraphs, one for each kernel, in the order of their launches. A paragraph:

    a = load(x1[r, j, s])                   an element of a tensor for each program element
    store(out[0, j, 0], log(sum(exp(a))))   and where the result goes

Letters are axes. `i j k l m n` are spread over programs; `r s t` are those that a program goes through, over which
`sum` and its like reduce and along which `cumsum` runs. An axis is as long as the dimension where its letter stands
alone: in what is stored first of all, else in what is loaded. `axes(r=8)` as a first line says it where nothing does,
or otherwise. Dimensions of size 1 are indexed by 0. `load(x[i - 1], i >= 1, 0.5)` is 0.5 where the condition is false,
0 if nothing is said. A tensor that is neither an input nor an output is made where it is first stored to.

What follows from this is left out: program ids, tiles, masks of what lies past the end, addresses, helper functions,
launch options, allocation and launches.
"""

from collections.abc import Mapping

from kernelwright.frontend.inductor.library import library

GRID_AXES, REDUCED_AXES = "ijklmn", "rst"
LETTERS = frozenset(GRID_AXES + REDUCED_AXES)
#: Names of values, in the order in which they are given.
VALUES = tuple("abcdefghopquvwyz") + tuple(f"{first}{second}" for first in "abcdefgh" for second in "abcdefghopquvwyz")

#: Functions of the Triton language that are written without `tl.`, with how many arguments they take.
LANGUAGE: Mapping[str, int] = {
    "abs": 1, "ceil": 1, "cos": 1, "erf": 1, "exp": 1, "exp2": 1, "floor": 1, "fma": 3, "log": 1, "log2": 1,
    "rsqrt": 1, "sigmoid": 1, "sin": 1, "sqrt": 1, "sqrt_rn": 1, "where": 3,
}  # fmt: skip

#: Reductions -> the function that does it: of Triton, or of the device functions. `mean` is the sum by their number.
REDUCTIONS: Mapping[str, str] = {
    "sum": "tl.sum", "mean": "tl.sum", "max": "reduce_max", "min": "reduce_min", "prod": "reduce_prod",
    "any": "reduce_or",
}  # fmt: skip
INDEX_REDUCTIONS: Mapping[str, str] = {"argmax": "max_with_index", "argmin": "min_with_index"}
SCANS: Mapping[str, str] = {"cumsum": "tl.cumsum", "cumprod": "tl.cumprod"}

#: Types that a value may be cast to.
TYPES = frozenset("float16 bfloat16 float32 float64 int8 int16 int32 int64 int1".split())

#: Device functions that values are given to: those of one value or two for each element.
DEVICE: Mapping[str, int] = {
    name: len(function.parameters)
    for name, function in library().items()
    if function.parameters in (("x",), ("a", "b"), ("y", "x"), ("base", "exponent"))
    and name not in ("multiply", "either")
}

#: Elements of a program's tile.
TILE = 2048
#: Elements that a program may go through.
MOST_REDUCED = 4096


class NotExpressibleError(Exception):
    """A program has no short form; the text says why."""
