"""What index arithmetic in a kernel of Inductor's gives, element by element."""

import ast
import math
import operator
from collections.abc import Mapping

import torch
from torch import Tensor

from kernelwright.frontend.notation.words import NotExpressibleError
from kernelwright.ir.dialect.checker import dotted

_OPERATORS = {
    ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.Div: operator.truediv,
    ast.BitAnd: operator.and_, ast.BitOr: operator.or_, ast.BitXor: operator.xor,
    ast.Eq: operator.eq, ast.NotEq: operator.ne, ast.Lt: operator.lt, ast.LtE: operator.le, ast.Gt: operator.gt,
    ast.GtE: operator.ge,
}  # fmt: skip


class Plain(ast.NodeTransformer):
    """Leaves out what says only what shape a value has: `tl.full`, broadcasts, `[:, None]`; infinity is `inf`."""

    def visit_Subscript(self, node: ast.Subscript) -> ast.expr:
        self.generic_visit(node)
        parts = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
        if all(
            isinstance(part, ast.Slice) or (isinstance(part, ast.Constant) and part.value is None) for part in parts
        ):
            return node.value
        return node

    def visit_Call(self, node: ast.Call) -> ast.expr:
        name = ".".join(dotted(node.func) or ())
        if name == "float" and len(node.args) == 1 and isinstance(node.args[0], ast.Constant):
            return _float(float(str(node.args[0].value)))
        self.generic_visit(node)
        if name == "tl.full" and len(node.args) == 3:
            return node.args[1]
        if name == "tl.broadcast_to":
            return node.args[0]
        if isinstance(node.func, ast.Attribute) and node.func.attr == "broadcast_to":
            return node.func.value
        return node


def _float(value: float) -> ast.expr:
    if math.isfinite(value):
        return ast.parse(repr(value), mode="eval").body
    name: ast.expr = ast.Name("nan" if math.isnan(value) else "inf", ast.Load())
    return ast.UnaryOp(ast.USub(), name) if value < 0 else name


def names_in(node: ast.AST) -> set[str]:
    """The names that are read in an expression but those of modules, types and functions."""
    called = {id(part.func) for part in ast.walk(node) if isinstance(part, ast.Call)}
    return {
        part.id for part in ast.walk(node) if isinstance(part, ast.Name) and id(part) not in called and part.id != "tl"
    }


def evaluate(node: ast.expr, known: Mapping[str, Tensor], elements: int) -> Tensor:
    """An expression's values for all elements: (elements,), whole numbers truncated as C does."""
    return torch.as_tensor(_evaluated(node, known)).expand(elements) if elements else torch.empty(0)


def _evaluated(node: ast.expr, known: Mapping[str, Tensor]) -> Tensor:
    if isinstance(node, ast.Constant) and isinstance(node.value, bool | int | float):
        return torch.tensor(node.value)
    if isinstance(node, ast.Name) and node.id in known:
        return known[node.id]
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        return -_evaluated(node.operand, known)
    if isinstance(node, ast.BinOp):
        left, right = _evaluated(node.left, known), _evaluated(node.right, known)
        if isinstance(node.op, ast.FloorDiv | ast.Mod) and bool((right == 0).any()):
            raise NotExpressibleError("index arithmetic divides by zero")
        if isinstance(node.op, ast.FloorDiv):
            return torch.div(left, right, rounding_mode="trunc")
        if isinstance(node.op, ast.Mod):
            return torch.fmod(left, right)
        if type(node.op) in _OPERATORS:
            return torch.as_tensor(_OPERATORS[type(node.op)](left, right))
    if isinstance(node, ast.Compare) and len(node.ops) == 1 and type(node.ops[0]) in _OPERATORS:
        left, right = _evaluated(node.left, known), _evaluated(node.comparators[0], known)
        return torch.as_tensor(_OPERATORS[type(node.ops[0])](left, right))
    if isinstance(node, ast.Call):
        return _call(node, known)
    raise NotExpressibleError(f"index arithmetic of an unknown kind: {ast.unparse(node):.60}")


def _call(node: ast.Call, known: Mapping[str, Tensor]) -> Tensor:
    name = ".".join(dotted(node.func) or ())
    if name == "tl.where":
        test, yes, no = (_evaluated(argument, known) for argument in node.args)
        return torch.where(test, yes, no)
    if isinstance(node.func, ast.Attribute) and node.func.attr == "to":
        value, wanted = _evaluated(node.func.value, known), (dotted(node.args[0]) or ("",))[-1]
        if wanted.startswith("int") and wanted != "int1":
            return value.long()
        if wanted == "float32":
            return value.float()
    raise NotExpressibleError(f"index arithmetic of an unknown kind: {ast.unparse(node):.60}")
