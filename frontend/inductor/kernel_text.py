"""One kernel as Inductor prints it -> one plain kernel.

Rewrites work on the syntax tree, one small function or class each, applied in the order of `normalize`.
"""

import ast
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from kernelwright.frontend.inductor.bindings import Rename, Substitute, assignments, drop_statements, target_of
from kernelwright.frontend.inductor.library import DEVICE_FUNCTIONS, library
from kernelwright.frontend.inductor.simplify import name_values, simplify
from kernelwright.ir.dialect.tables import LIBDEVICE
from kernelwright.ir.errors import LoweringError
from kernelwright.ir.trees import syntax_tree

#: Names under which Inductor's kernel text imports its helpers.
LIBRARIES = ("libdevice", "triton_helpers", "tl_math", "helpers")


@dataclass(frozen=True)
class InductorKernel:
    """A kernel as Inductor printed it: its tree, the functions beside it, and what its heuristics were told.

    `options` are the literals of its `inductor_meta`, `hints` its other literals and the names of enumerated ones.
    """

    name: str
    function: ast.FunctionDef
    combines: tuple[ast.FunctionDef, ...]
    heuristic: str
    size_hints: Mapping[str, int]
    hints: Mapping[str, object]
    options: Mapping[str, object]
    covers: tuple[str, ...]


@dataclass(frozen=True)
class PlainKernel:
    """The rewritten kernel: its tree, Inductor's run-time parameters in order and which of them were sizes
    and are gone, the constexpr parameters, and the device functions that it calls."""

    function: ast.FunctionDef
    parameters: tuple[str, ...]
    sizes: Mapping[str, int]
    constexprs: tuple[str, ...]
    calls: tuple[str, ...]


def read_kernel(name: str, text: str, covers: tuple[str, ...]) -> InductorKernel:
    """Find the kernel and its heuristics call in the text handed to `async_compile.triton`."""
    tree = syntax_tree(text)
    functions = [node for node in tree.body if isinstance(node, ast.FunctionDef)]
    main = next((node for node in functions if node.name == name or node.name == "triton_"), functions[-1])
    heuristic = ""
    told: dict[str, ast.expr] = {}
    for decorator in main.decorator_list:
        if isinstance(decorator, ast.Call) and isinstance(decorator.func, ast.Attribute):
            heuristic = decorator.func.attr
            told = {keyword.arg: keyword.value for keyword in decorator.keywords if keyword.arg is not None}
    combines = tuple(node for node in functions if node is not main)
    sizes, meta = (_literals(told.pop(key, None)) for key in ("size_hints", "inductor_meta"))
    hints: dict[str, object] = {name: value.attr for name, value in told.items() if isinstance(value, ast.Attribute)}
    hints |= {name: value.value for name, value in told.items() if isinstance(value, ast.Constant)}
    return InductorKernel(name, main, combines, heuristic, sizes, hints, meta, covers)


def _literals(node: ast.expr | None) -> dict[str, Any]:
    """What a dictionary holds under keys that are constants, as far as its values are literals."""
    found: dict[str, Any] = {}
    if isinstance(node, ast.Dict):
        for key, value in zip(node.keys, node.values, strict=True):
            with suppress(ValueError):
                if isinstance(key, ast.Constant):
                    found[str(key.value)] = ast.literal_eval(value)
    return found


def normalize(kernel: InductorKernel, names: Mapping[str, str]) -> PlainKernel:
    """Plain Triton for `kernel`; `names` renames its pointer parameters and combine functions."""
    function = kernel.function
    function.decorator_list = [ast.parse("triton.jit", mode="eval").body]
    parameters = tuple(a.arg for a in function.args.args if a.annotation is None)
    sizes = _drop_sizes(function)
    library = _Library()
    library.visit(function)
    simplify(function)
    Rename(dict(names)).visit(function)
    name_values(function)
    function.args.args = [argument for argument in function.args.args if argument.arg not in sizes]
    constexprs = tuple(a.arg for a in function.args.args if a.annotation is not None)
    ast.fix_missing_locations(function)
    return PlainKernel(function, parameters, sizes, constexprs, tuple(sorted(library.used)))


def _drop_sizes(function: ast.FunctionDef) -> dict[str, int]:
    """Replace the size parameters, which the body sets to constants, by these constants."""
    parameters = {argument.arg for argument in function.args.args}
    sizes: dict[str, int] = {}
    for name, value, _ in assignments(function):
        if name in parameters and isinstance(value, ast.Constant) and isinstance(value.value, int):
            sizes[name] = value.value
    drop_statements(function, lambda stmt: isinstance(stmt, ast.Assign) and target_of(stmt) in sizes)
    Substitute({name: ast.Constant(size) for name, size in sizes.items()}).visit(function)
    return sizes


#: As torch writes maxima that keep NaN, from 2.14 on; before, it calls a helper.
_EXTREMA, _ALL = ("tl.maximum", "tl.minimum"), "tl.PropagateNan.ALL"


def _without_signs(function: str, arguments: list[ast.expr]) -> list[ast.expr]:
    """Arguments without the one that torch gives from 2.14 on: whether zeros with and without a sign differ."""
    known = len(library()[function].parameters)
    if any(ast.unparse(one) != "False" for one in arguments[known:]):
        raise LoweringError(f"Inductor distinguishes 0 from -0 in {function}; lower without strict numerics")
    return arguments[:known]


class _Library(ast.NodeTransformer):
    """Calls into Inductor's helpers and libdevice become calls of `tl` or of our device functions."""

    def __init__(self) -> None:
        self.used: set[str] = set()

    def visit_Call(self, node: ast.Call) -> ast.expr:
        self.generic_visit(node)
        if isinstance(node.func, ast.Name) and node.func.id == "promote_to_tensor" and node.args:
            return node.args[0]
        if ast.unparse(node.func) in _EXTREMA and [ast.unparse(one) for one in node.args[2:]] == [_ALL]:
            self.used.add(name := node.func.attr)  # type: ignore[attr-defined]
            return ast.Call(ast.Name(name, ast.Load()), node.args[:2], [])
        if isinstance(node.func, ast.Name) and node.func.id.startswith("online_softmax"):
            node.args = _without_signs(node.func.id, node.args)
        return node

    def visit_Attribute(self, node: ast.Attribute) -> ast.expr:
        self.generic_visit(node)
        if ast.unparse(node.value) == "triton.language":
            return ast.Attribute(ast.Name("tl", ast.Load()), node.attr, ast.Load())
        if not (isinstance(node.value, ast.Name) and node.value.id in LIBRARIES):
            return node
        if node.attr == "promote_to_tensor":
            return ast.Name("promote_to_tensor", ast.Load())
        target = DEVICE_FUNCTIONS.get(node.attr)
        if target is None and node.value.id == "libdevice" and node.attr in LIBDEVICE:
            return node
        if target is None:
            raise LoweringError(
                f"Inductor calls {node.value.id}.{node.attr}, for which there is no device function; "
                "keep the operation that needs it outside the compiled program"
            )
        if target.startswith("tl."):
            return ast.Attribute(ast.Name("tl", ast.Load()), target[3:], ast.Load())
        self.used.add(target)
        return ast.Name(target, ast.Load())
