"""Syntax trees."""

import ast

_KEPT = "_kernelwright_walk"
_TRIES = 20


def syntax_tree(text: str) -> ast.Module:
    """`ast.parse`, in threads too: CPython 3.11 counts the depth of all threads' trees together, and raises SystemError
    where another thread's tree was made in between."""
    for _ in range(_TRIES - 1):
        try:
            return ast.parse(text)
        except SystemError:
            continue
    return ast.parse(text)


def walk(node: ast.AST) -> list[ast.AST]:
    """The node and all under it, level by level, as `ast.walk` has them. Found once: the tree must not change later."""
    kept: list[ast.AST] | None = node.__dict__.get(_KEPT)
    if kept is not None:
        return kept
    found = [node]
    for one in found:  # which grows meanwhile
        fields = one.__dict__
        for name in one._fields:
            value = fields.get(name)
            if isinstance(value, list):
                found += [item for item in value if isinstance(item, ast.AST)]
            elif isinstance(value, ast.AST):
                found.append(value)
    if len(found) > 1:  # leaves may be shared: Python has one Load for all
        setattr(node, _KEPT, found)
    return found
