"""The numbers that a text names."""

import ast
import functools
import math
import operator
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from kernelwright.backend.reference.program import ReferenceProgram
from kernelwright.ir.trees import syntax_tree

#: Numbers of a source that are drawn around, at most.
_MOST_LITERALS = 48
#: Larger numbers are bounds that nothing reaches.
_LARGEST = 1e30
#: The error of a number between 0.5 and 1 in fp32, and of what is left of it to 1.
WEIGHT_ERROR = 2.0**-24
#: What a program names that means something by NaN; where it does not, kernels may treat NaN as they like.
_NAN_NAMES = frozenset(
    "isnan nan_to_num nansum nanmean nanmedian nanquantile isfinite isinf isposinf isneginf fmax fmin".split()
)
#: What names infinities as well.
_INFINITE_NAMES = frozenset("nan_to_num isfinite isinf isposinf isneginf".split())
_OPERATORS: Mapping[type[ast.operator], Callable[[float, float], float]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.Pow: math.pow,
}


def numbers_in(tree: ast.AST, whole: bool = False) -> Iterator[float]:
    """All numbers that a text names, constants and what is computed of constants. Integers are left out unless `whole`,
    as most are sizes."""
    for node in ast.walk(tree):
        number = folded(node) if isinstance(node, ast.expr) else None
        if number is not None and (whole or not (isinstance(node, ast.Constant) and isinstance(node.value, int))):
            yield number


def folded(node: ast.expr) -> float | None:
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
        inner = folded(node.operand)
        return None if inner is None else -inner
    if not isinstance(node, ast.BinOp) or type(node.op) not in _OPERATORS:
        return None
    left, right = folded(node.left), folded(node.right)
    if left is None or right is None:
        return None
    try:
        return _OPERATORS[type(node.op)](left, right)
    except (ArithmeticError, ValueError):
        return None


def _built_with(value: Any) -> Iterator[float]:
    """The finite numbers in what a program is built with."""
    if isinstance(value, int | float) and not isinstance(value, bool) and abs(value) < _LARGEST:
        yield float(value)
    elif isinstance(value, list | tuple | dict):
        for one in value.values() if isinstance(value, dict) else value:
            yield from _built_with(one)


def numbers_of(program: ReferenceProgram) -> tuple[float, ...]:
    """The numbers that a program names, and those that it is built with."""
    in_text = named(program.reference.source, program.reference.entry)[0]
    return tuple(dict.fromkeys((*in_text, *_built_with(program.init_arguments()))))[:_MOST_LITERALS]


def weights_of(program: ReferenceProgram) -> frozenset[float]:
    """What is left to 1 of a program's numbers between 0.5 and 1, such as 0.999: weights that a kernel may work out in
    fp32."""
    return frozenset(1 - number for number in numbers_of(program) if 0.5 < number < 1)


def weight_error(program: ReferenceProgram) -> float:
    """The largest relative error of these weights in fp32; 0 if the program has none."""
    return max((WEIGHT_ERROR / weight for weight in weights_of(program)), default=0.0)


@functools.lru_cache(64)
def named(source: str, entry: str) -> tuple[tuple[float, ...], bool, bool]:
    """The numbers that a source names besides in what makes its inputs, those that it compares with first, and whether
    it names what is of NaN, as a comparison with itself does, and of infinity."""
    found: dict[float, None] = {}
    compared: set[float] = set()
    names: set[str] = set()
    for statement in syntax_tree(source).body:
        if getattr(statement, "name", "") in ("get_inputs", "get_init_inputs"):
            continue
        if isinstance(statement, ast.ClassDef) and statement.name != entry and statement.name == "ModelNew":
            continue
        found |= dict.fromkeys(number for number in numbers_in(statement, whole=True) if abs(number) < _LARGEST)
        for node in ast.walk(statement):
            if isinstance(node, ast.Attribute | ast.Name):
                names.add(node.attr if isinstance(node, ast.Attribute) else node.id)
            if isinstance(node, ast.Compare):
                sides = [number for one in (node.left, *node.comparators) if (number := folded(one)) is not None]
                if ast.unparse(node.left) in map(ast.unparse, node.comparators):
                    names.add("isnan")
                compared |= {number for number in sides if abs(number) < _LARGEST}
    largest = sorted(found, key=lambda number: (number not in compared, number in (0.0, 1.0, 2.0)))
    return tuple(largest[:_MOST_LITERALS]), bool(names & _NAN_NAMES), bool(names & _INFINITE_NAMES)
