"""Which device function stands for which helper of Inductor's or function of libdevice."""

import ast
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from kernelwright.ir.trees import syntax_tree
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
    "max2_strict": "reduce_max",
    "min2_strict": "reduce_min",
    "fmax2": "reduce_fmax",
    "max_with_first_index": "max_with_index",
    "min_with_first_index": "min_with_index",
    "any": "reduce_or",
    "prod": "reduce_prod",
    "pow": "power",
    "rint": "nearbyint",
    "round": "nearbyint",
    "fast_tanhf": "tanh",
    "x_grid_barrier": "grid_barrier",
}


#: Where the device functions stand.
_FILES = ("jit_reductions.py", "jit_math.py")


@dataclass(frozen=True)
class DeviceFunction:
    """A function as it stands in its file, decorator included; `names` are those that it reads."""

    source: str
    parameters: tuple[str, ...]
    names: tuple[str, ...]


@cache
def library() -> Mapping[str, DeviceFunction]:
    """Every device function, by name."""
    found: dict[str, DeviceFunction] = {}
    for name in _FILES:
        text = (files("kernelwright.frontend.inductor") / name).read_text("utf-8")
        lines = text.splitlines()
        for node in syntax_tree(text).body:
            if isinstance(node, ast.FunctionDef):
                source = "\n".join(lines[node.decorator_list[0].lineno - 1 : node.end_lineno])
                parameters = tuple(one.arg for one in node.args.args)
                names = dict.fromkeys(part.id for part in ast.walk(node) if isinstance(part, ast.Name))
                found[node.name] = DeviceFunction(source, parameters, tuple(names))
    return found


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
        function = library()[name]
        for called in function.names:
            if called in library() and called != name:
                add(called)
        found[name] = Kernel(name, function.source)

    for name in names:
        add(name)
    return tuple(found.values())
