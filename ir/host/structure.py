"""What a forward returns, as text: `tensor`, `tuple`, `list`, or a literal with `...` where its tensors are.

`(..., {'state': ..., 'steps': 4}, None)` stands for a tuple of a tensor, a dictionary with another one, and None.
"""

import ast
from collections.abc import Iterator, Sequence

#: One tensor, and sequences of nothing but tensors.
PLAIN = ("tensor", "tuple", "list")


def is_structure(text: object) -> bool:
    """Whether a value is such a text."""
    if text in PLAIN:
        return True
    try:
        value = ast.literal_eval(text) if isinstance(text, str) else None
    except (ValueError, SyntaxError, TypeError, RecursionError, MemoryError):
        return False
    return isinstance(value, tuple | list | dict) and any(one is ... for one in _leaves(value))


def filled(text: str, names: Sequence[str]) -> str:
    """An expression of that structure whose tensors are these names, in order."""
    if text == "tensor":
        return names[0]
    if text in PLAIN:
        inner = ", ".join(names) + ("," if len(names) == 1 and text == "tuple" else "")
        return f"({inner})" if text == "tuple" else f"[{inner}]"
    tree = ast.parse(text, mode="eval")
    left = iter(names)

    class Filling(ast.NodeTransformer):
        def visit_Constant(self, node: ast.Constant) -> ast.expr:
            return ast.Name(next(left)) if node.value is ... else node

    return ast.unparse(Filling().visit(tree))


def _leaves(value: object) -> Iterator[object]:
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, tuple | list):
        for one in value:
            yield from _leaves(one)
    else:
        yield value
