"""How long axes are."""

import ast
from collections.abc import Mapping, Sequence

from kernelwright.frontend.notation.words import LETTERS


def lengths(
    nodes: Sequence[ast.AST], shapes: Mapping[str, tuple[int, ...]], given: Mapping[str, int]
) -> dict[str, int]:
    """Letter -> size: as given; else where the letter stands alone in what is stored, else in what is loaded."""
    found: dict[str, int] = {}
    for wanted in ("store", "load"):
        for call in (part for node in nodes for part in ast.walk(node) if isinstance(part, ast.Call)):
            if isinstance(call.func, ast.Name) and call.func.id == wanted and call.args:
                for letter, size in _alone(call.args[0], shapes):
                    found.setdefault(letter, size)
    return {**found, **given}


def _alone(target: ast.expr, shapes: Mapping[str, tuple[int, ...]]) -> list[tuple[str, int]]:
    """The letters that stand alone in a subscript, with the sizes of their dimensions."""
    if not isinstance(target, ast.Subscript) or not isinstance(target.value, ast.Name):
        return []
    shape = shapes.get(target.value.id, ())
    pairs = zip(subscripts(target), shape, strict=False)
    return [(index.id, size) for index, size in pairs if isinstance(index, ast.Name) and index.id in LETTERS]


def subscripts(target: ast.expr) -> list[ast.expr]:
    """The indices of `x[i, 0]`; none of `x`."""
    if not isinstance(target, ast.Subscript):
        return []
    return target.slice.elts if isinstance(target.slice, ast.Tuple) else [target.slice]
