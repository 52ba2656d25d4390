"""Statements of the short form as trees, and their one spelling."""

import ast
from collections import Counter
from collections.abc import Sequence

from kernelwright.frontend.inductor.bindings import Substitute
from kernelwright.frontend.notation.words import VALUES


def canonical(lines: Sequence[tuple[str, ast.expr]]) -> list[str]:
    """Statements: loads and what is used more than once have names, all else stands where it is used."""
    values: dict[str, ast.expr] = {}
    uses: Counter[str] = Counter()
    wanted: set[str] = set()
    for name, node in reversed(lines):
        if not name or name in wanted:
            read = [part.id for part in ast.walk(node) if isinstance(part, ast.Name)]
            uses.update(read)
            wanted |= set(read)
    names = iter(VALUES)
    texts = []
    for name, node in lines:
        if name and name not in wanted:
            continue
        node = Substitute(values).visit(node)
        if not name:
            texts.append(ast.unparse(node))
        elif isinstance(node, ast.Name) or (uses[name] == 1 and not is_load(node)):
            values[name] = node
        else:
            letter = next(names)
            values[name] = ast.Name(letter, ast.Load())
            texts.append(f"{letter} = {ast.unparse(node)}")
    return texts


def is_load(node: ast.expr) -> bool:
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "load"


def call_of(name: str, *arguments: ast.expr) -> ast.Call:
    return ast.Call(ast.Name(name, ast.Load()), list(arguments), [])


def cast_to(value: ast.expr, dtype: str) -> ast.expr:
    return ast.Call(ast.Attribute(value, "to", ast.Load()), [ast.Name(dtype, ast.Load())], [])


def is_cast(node: ast.expr, dtypes: Sequence[str]) -> bool:
    return (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and isinstance(node.args[0], ast.Name)
        and node.args[0].id in dtypes
    )


def simplified(node: ast.BinOp) -> ast.expr:
    """Without factors and divisors of 1.0, and conditions that always hold."""
    if isinstance(node.op, ast.BitAnd) and "True" in (ast.unparse(node.left), ast.unparse(node.right)):
        return node.right if ast.unparse(node.left) == "True" else node.left
    if isinstance(node.op, ast.Mult | ast.Div) and ast.unparse(node.right) == "1.0":
        return node.left
    if isinstance(node.op, ast.Mult) and ast.unparse(node.left) == "1.0":
        return node.right
    return node
