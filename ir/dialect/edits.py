"""Parts of a program's text that others take the place of."""

import ast
from collections.abc import Iterator
from dataclasses import dataclass


@dataclass(frozen=True)
class Edit:
    """A part of the text, from its first byte to its end, and what takes its place."""

    start: tuple[int, int]
    end: tuple[int, int]
    text: str


def end_of(node: ast.expr | ast.stmt) -> tuple[int, int]:
    """The line on which a node ends, and the byte behind it."""
    return node.end_lineno or node.lineno, node.end_col_offset or 0


def replaced(node: ast.expr | ast.stmt, text: str) -> Edit:
    """A text in the place of a node."""
    return Edit((node.lineno, node.col_offset), end_of(node), text)


def binds(node: ast.AST) -> Iterator[str]:
    """The names that a node binds, anywhere."""
    if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
        yield node.id
    elif isinstance(node, ast.arg):
        yield node.arg
    elif isinstance(node, ast.FunctionDef | ast.ClassDef):
        yield node.name
    elif isinstance(node, ast.alias):
        yield node.asname or node.name.partition(".")[0]
    elif isinstance(node, ast.ExceptHandler | ast.MatchAs | ast.MatchStar) and node.name:
        yield node.name
    elif isinstance(node, ast.Global | ast.Nonlocal):
        yield from (name for name in node.names for _ in range(2))  # bound where nobody looks
