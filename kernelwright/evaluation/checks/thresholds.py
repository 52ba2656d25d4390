"""The numbers at which a candidate's text may begin to do something else."""

import ast
import math
import operator
from collections.abc import Callable, Iterator, Mapping

from kernelwright.ir.trees import syntax_tree
from kernelwright.ir.values import KernelModule

#: Numbers that are drawn for one candidate at most.
_MOST = 8
#: What other draws come close to: numbers between these need not be drawn for a candidate unless it compares with them.
_NEAR, _FAR = 1e-9, 1e4
_ORDINARY = frozenset((0.0, 0.5, 1.0, 2.0, math.inf))
_OPERATORS: Mapping[type[ast.operator], Callable[[float, float], float]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.Pow: math.pow,
}


def thresholds(module: KernelModule) -> tuple[float, ...]:
    """Absolute values of the numbers that a module's kernels compare with, and of very large or small numbers in its
    text. Numbers that the reference names are left out, because they are drawn for all candidates."""
    known = set(map(abs, _numbers(module.reference.source)))
    found: dict[float, None] = {}
    for kernel in module.kernels:
        for node in ast.walk(syntax_tree(kernel.source)):
            if isinstance(node, ast.Compare):
                sides = (_folded(side) for side in (node.left, *node.comparators))
                found |= dict.fromkeys(side for side in sides if side is not None)
    texts = [*module.constants, *(kernel.source for kernel in module.kernels)]
    texts += [module.launcher.source] if module.launcher else []
    far = (number for text in texts for number in _numbers(text))
    found |= dict.fromkeys(number for number in far if not _NEAR < abs(number) < _FAR)
    sizes = dict.fromkeys(map(abs, found))
    return tuple(one for one in sizes if one not in known | _ORDINARY and math.isfinite(one))[:_MOST]


def _numbers(text: str) -> Iterator[float]:
    """All that a text names; of whole numbers only those that are written as floating ones, as others are sizes."""
    for node in ast.walk(syntax_tree(text)):
        number = _folded(node) if isinstance(node, ast.expr) else None
        if number is not None and not (isinstance(node, ast.Constant) and isinstance(node.value, int)):
            yield number


def _folded(node: ast.expr) -> float | None:
    """The number that an expression of constants is; None for any other."""
    if isinstance(node, ast.Constant):
        plain = isinstance(node.value, int | float) and not isinstance(node.value, bool) and abs(node.value) < 1e300
        return float(node.value) if plain else None  # type: ignore[arg-type]
    if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "float" and len(node.args) == 1:
        given = node.args[0]
        try:
            return float(str(given.value)) if isinstance(given, ast.Constant) else None
        except ValueError:
            return None
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        inner = _folded(node.operand)
        return None if inner is None else -inner
    if not isinstance(node, ast.BinOp) or type(node.op) not in _OPERATORS:
        return None
    left, right = _folded(node.left), _folded(node.right)
    if left is None or right is None:
        return None
    try:
        return _OPERATORS[type(node.op)](left, right)
    except (ArithmeticError, ValueError):
        return None
