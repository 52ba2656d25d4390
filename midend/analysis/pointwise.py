"""Masks of loads and stores in texts, and how often a text has a name."""

import ast

from kernelwright.midend.analysis.trees import called


def mask_of(call: ast.Call) -> ast.expr | None:
    """The mask of a load or store; None where there is none."""
    place = 1 if called(call, "tl.load") else 2
    named = [keyword.value for keyword in call.keywords if keyword.arg == "mask"]
    found = named[0] if named else (call.args[place] if len(call.args) > place else None)
    return None if isinstance(found, ast.Constant) else found


def conjunction(mask: ast.expr) -> list[ast.expr]:
    """The parts of a mask that `&` joins."""
    if isinstance(mask, ast.BinOp) and isinstance(mask.op, ast.BitAnd):
        return [*conjunction(mask.left), *conjunction(mask.right)]
    return [mask]


def joined(parts: list[ast.expr]) -> ast.expr:
    """The mask of all parts."""
    joined = parts[0]
    for part in parts[1:]:
        joined = ast.BinOp(joined, ast.BitAnd(), part)
    return joined


def mentions(node: ast.AST, name: str) -> int:
    """How often a tree has a name, parameters counted."""
    names = [n.id for n in ast.walk(node) if isinstance(n, ast.Name)]
    return (names + [n.arg for n in ast.walk(node) if isinstance(n, ast.arg)]).count(name)
