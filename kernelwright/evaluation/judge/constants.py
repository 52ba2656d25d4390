"""Which constants of a model a program in the dialect does not read: it holds for the values that they begin with."""

import ast
from collections.abc import Mapping
from typing import Any

from kernelwright.backend.reference.holdings import UNSAVED
from kernelwright.ir.values import Reference


def unread(text: str, reference: Reference, module: Mapping[str, Any]) -> list[str]:
    """Paths of buffers that are not saved, which the reference names outside of its constructors and the program does
    not. `module`: the reference's `holdings`."""
    constants = [path for path, (kind, *_) in module.get("tensors", {}).items() if kind == UNSAVED]
    if not constants:
        return []
    wanted, found = _named(reference.source), _named(text)
    found |= {spec.path.rpartition(".")[2] for spec in reference.state if spec.tensor.name in found}
    names = {path: path.rpartition(".")[2] for path in constants}
    return [path for path, name in names.items() if name in wanted - found]


def _named(text: str) -> set[str]:
    """Attributes and arguments that host code names, but for constructors."""
    found, left = set[str](), list[ast.AST]([ast.parse(text)])
    while left:
        node = left.pop()
        if isinstance(node, ast.FunctionDef) and (node.name == "__init__" or node.decorator_list):
            continue
        if isinstance(node, ast.Attribute):
            found.add(node.attr)
        elif isinstance(node, ast.arg):
            found.add(node.arg)
        left += ast.iter_child_nodes(node)
    return found
