"""Kernels as syntax trees: what rewrites that still read their text ask."""

import ast
from collections.abc import Collection

from kernelwright.ir.dialect.checker import all_arguments
from kernelwright.ir.values import Kernel

FunctionTree = ast.FunctionDef


def function_of(kernel: Kernel) -> ast.FunctionDef:
    """The kernel's definition, a tree of its own."""
    function = ast.parse(kernel.source).body[0]
    assert isinstance(function, ast.FunctionDef)
    return function


def names_in(node: ast.AST) -> set[str]:
    """Names that a tree mentions."""
    return {part.id for part in ast.walk(node) if isinstance(part, ast.Name)}


def bound_by(node: ast.AST) -> list[str]:
    """Names that a tree binds, as often as it does."""
    return [n.id for n in ast.walk(node) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)]


def read_by(node: ast.AST) -> set[str]:
    """Names that a tree reads."""
    return {n.id for n in ast.walk(node) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load)}


def local_names(function: ast.FunctionDef) -> set[str]:
    """Parameters, and names that the body binds."""
    return {*bound_by(function), *(argument.arg for argument in all_arguments(function.args))}


def pointer_sum(node: ast.expr, pointer: str) -> ast.expr | None:
    """The offset in `pointer + offset`; None for anything else."""
    match node:
        case ast.BinOp(ast.Name(name), ast.Add(), offset) if name == pointer:
            return offset
    return None


def stores_by(function: ast.FunctionDef, pointer: str) -> list[ast.Call]:
    """The stores by a pointer that are statements of the body, outside of loops."""
    calls = [s.value for s in function.body if isinstance(s, ast.Expr) and called(s.value, "tl.store")]
    return [c for c in calls if isinstance(c, ast.Call) and pointer_sum(c.args[0], pointer) is not None]


def called(node: ast.AST, name: str) -> bool:
    """Whether a node is a call of a function spelled so, such as `tl.load`."""
    return isinstance(node, ast.Call) and ast.unparse(node.func) == name


def written_by(function: ast.FunctionDef, parameters: Collection[str]) -> frozenset[str]:
    """The parameters whose tensors the kernel may write: all of them where the text does not show which."""
    written: set[str] = set()
    for call in (node for node in ast.walk(function) if isinstance(node, ast.Call)):
        name = ast.unparse(call.func)
        stores = name == "tl.store" or name.startswith("tl.atomic")
        given = names_in(call.args[0]) if stores else set().union(*map(names_in, call.args))
        if stores and not given & set(parameters):
            return frozenset(parameters)
        if stores or not name.startswith("tl."):
            written |= given & set(parameters)
    return frozenset(written)
