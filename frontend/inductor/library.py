"""Which device function stands for which helper of Inductor's or function of libdevice."""

import ast
from collections.abc import Iterable, Mapping
from functools import cache
from importlib.resources import files

from kernelwright.ir.values import Kernel

#: Functions that the Triton language has itself.
_LANGUAGE = (
    "abs",
    "exp",
    "exp2",
    "log",
    "log2",
    "sqrt",
    "rsqrt",
    "sin",
    "cos",
    "floor",
    "ceil",
    "erf",
    "fma",
    "sqrt_rn",
)

#: Names that differ from ours.
_RENAMED = {
    "max2": "reduce_max",
    "min2": "reduce_min",
    "any": "reduce_or",
    "prod": "reduce_prod",
    "pow": "power",
    "rint": "nearbyint",
    "round": "nearbyint",
    "fast_tanhf": "tanh",
    "x_grid_barrier": "grid_barrier",
    "div_rn": "tl.div_rn",
}


@cache
def library() -> Mapping[str, ast.FunctionDef]:
    """Every device function of jit_library.py, by name."""
    text = (files("kernelwright.frontend.inductor") / "jit_library.py").read_text()
    return {node.name: node for node in ast.parse(text).body if isinstance(node, ast.FunctionDef)}


#: Helper or libdevice name -> `tl.<name>` or the name of a device function.
DEVICE_FUNCTIONS: Mapping[str, str] = (
    {name: name for name in library()} | {name: f"tl.{name}" for name in _LANGUAGE} | _RENAMED
)


def device_functions(names: Iterable[str]) -> tuple[Kernel, ...]:
    """The named functions and all that they call, callees first."""
    found: dict[str, Kernel] = {}

    def add(name: str) -> None:
        if name in found:
            return
        node = library()[name]
        for part in ast.walk(node):
            if isinstance(part, ast.Name) and part.id in library() and part.id != name:
                add(part.id)
        found[name] = Kernel(name, _source(node))

    for name in names:
        add(name)
    return tuple(found.values())


def _source(node: ast.FunctionDef) -> str:
    text = (files("kernelwright.frontend.inductor") / "jit_library.py").read_text().splitlines()
    return "\n".join(text[node.decorator_list[0].lineno - 1 : node.end_lineno])
