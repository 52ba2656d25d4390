"""Sums of digits in texts: read from expressions, and written as such."""

import ast
from collections.abc import Iterable, Mapping

from kernelwright.ir.kernel.analysis.digits import Digit, Index
from kernelwright.midend.analysis.trees import called


def index_of(node: ast.expr, known: Mapping[str, Index]) -> Index | None:
    """What integer arithmetic gives, where names have these values; None where that is no sum of digits."""
    match node:
        case ast.Constant(int() as value) if value >= 0 and not isinstance(value, bool):
            return Index(offset=value)
        case ast.Name(name):
            return known.get(name)
        case ast.BinOp(left, operator, right):
            one, other = index_of(left, known), index_of(right, known)
            return None if one is None or other is None else _combined(one, operator, other)
        case ast.Call(func=ast.Attribute(value, "to"), args=[kind]) if ast.unparse(kind) in (
            "tl.int32",
            "tl.int64",
        ):
            return index_of(value, known)
        case ast.Call(args=[value, _]) if called(node, "tl.broadcast_to"):
            return index_of(value, known)
    return None


def _combined(one: Index, operator: ast.operator, other: Index) -> Index | None:
    match operator:
        case ast.Add():
            return Index.sum((*one.terms, *other.terms), one.offset + other.offset)
        case ast.Sub() if not other.terms:
            return Index(one.terms, one.offset - other.offset)
        case ast.Mult() if not one.terms or not other.terms:
            many, factor = (one, other.offset) if not other.terms else (other, one.offset)
            return many.scaled(factor) if factor >= 0 else None
        case ast.FloorDiv() | ast.Mod() if not other.terms and other.offset > 0:
            parts = one.divided(other.offset)
            return None if parts is None else parts[isinstance(operator, ast.Mod)]
    return None


def text_of(terms: Iterable[tuple[int, Digit]], sizes: Mapping[str, int]) -> str:
    """The terms as text; a digit that is a variable's last needs no remainder, where `sizes` has the variable's."""
    texts = []
    for factor, digit in terms:
        part = digit.variable if digit.step == 1 else f"{digit.variable} // {digit.step}"
        last = digit.step * digit.size == sizes.get(digit.variable)
        part = part if last else f"{part} % {digit.size}"
        plain = part == digit.variable
        texts.append(part if factor == 1 and plain else (f"{factor} * {part}" if plain else f"{factor} * ({part})"))
    texts = [text.removeprefix("1 * ") for text in texts]
    return " + ".join(texts) or "0"
