"""What a value in the short form is: a float, a whole number or a truth value."""

import ast
from collections.abc import Mapping
from typing import Literal

from kernelwright.frontend.notation.words import INDEX_REDUCTIONS

Kind = Literal["float", "int", "bool"]
_PASSED = frozenset("abs sum max min prod cumsum cumprod maximum minimum".split())
_TRUTHS = frozenset("any isnan isinf signbit".split())
_WHOLE = frozenset("div_floor_integer remainder_integer pow_integer llrint".split())


def kind_of_type(dtype: str) -> Kind:
    """The kind of a type such as `f32`, `int64` or `b1`."""
    if dtype in ("b1", "bool", "int1"):
        return "bool"
    return "int" if dtype.startswith(("i", "u")) else "float"


def kind(node: ast.expr, values: Mapping[str, Kind]) -> Kind:
    """The kind of an expression; `values` are those of the names in it, tensors too, other names are axes."""
    if isinstance(node, ast.Constant):
        return "bool" if isinstance(node.value, bool) else "int" if isinstance(node.value, int) else "float"
    if isinstance(node, ast.Name):
        return "float" if node.id in ("inf", "nan") else values.get(node.id, "int")
    if isinstance(node, ast.Compare):
        return "bool"
    if isinstance(node, ast.UnaryOp):
        return kind(node.operand, values)
    if isinstance(node, ast.BinOp):
        both = {kind(node.left, values), kind(node.right, values)}
        if isinstance(node.op, ast.Div) or "float" in both:
            return "float"
        return "bool" if both == {"bool"} else "int"
    if isinstance(node, ast.Call):
        return _kind_of_call(node, values)
    return "float"


def _kind_of_call(node: ast.Call, values: Mapping[str, Kind]) -> Kind:
    if isinstance(node.func, ast.Attribute):
        cast = node.args[0] if node.args else None
        return kind_of_type(cast.id) if isinstance(cast, ast.Name) else "float"
    name = node.func.id if isinstance(node.func, ast.Name) else ""
    if name == "load":
        place = node.args[0] if node.args else node
        base = place.value if isinstance(place, ast.Subscript) else place
        return values.get(base.id, "float") if isinstance(base, ast.Name) else "float"
    if name in INDEX_REDUCTIONS or name in _WHOLE:
        return "int"
    if name in _TRUTHS:
        return "bool"
    if name == "where":
        branches = {kind(one, values) for one in node.args[1:]}
        return "float" if "float" in branches else "int" if "int" in branches else "bool"
    if name in _PASSED and node.args:
        found = {kind(one, values) for one in node.args}
        if name in ("sum", "prod", "cumsum", "cumprod"):
            return "float" if "float" in found else "int"
        return "float" if "float" in found else "int" if "int" in found else "bool"
    return "float"
