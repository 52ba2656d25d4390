"""Turn a kernel's source into Python that behaves, under the interpreter, as Triton compiles it.

Plain Python differs from Triton in four ways that would give wrong values without any error: an assigned number
becomes a tensor, `and`, `or` and `not` work elementwise, a block is no condition, and loop counters are tensors.
"""

import ast
import inspect
import linecache
import textwrap
from collections.abc import Callable
from types import CodeType, FunctionType
from typing import Any

from kernelwright.ir.text import text_lines

#: Names that rewritten code calls; the interpreter binds them.
VALUE, AND, OR, NOT, TRUTH = "__kw_value__", "__kw_and__", "__kw_or__", "__kw_not__", "__kw_truth__"
#: The truth of a loop's condition.
AGAIN = "__kw_again__"
#: Calls an exchange whose old value nothing uses.
DISCARD = "__kw_discard__"
_EXCHANGE = "atomic_xchg"


class _Rewriter(ast.NodeTransformer):
    """`read`: the names whose values the function uses."""

    def __init__(self, read: frozenset[str]) -> None:
        self._read = read

    def visit_Expr(self, node: ast.Expr) -> ast.AST:
        self.generic_visit(node)
        node.value = _discarding(node.value)
        return node

    def visit_Assign(self, node: ast.Assign) -> ast.AST:
        self.generic_visit(node)
        if isinstance(node.targets[0], ast.Name) and node.targets[0].id not in self._read:
            node.value = _discarding(node.value)
        if len(node.targets) > 1:
            raise SyntaxError(f"line {node.lineno}: Triton has no multiple assignment")
        node.value = _call(VALUE, node.value)
        return node

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.AST:
        self.generic_visit(node)
        if node.value is not None and not ast.unparse(node.annotation).endswith("constexpr"):
            node.value = _call(VALUE, node.value)
        return node

    def visit_AugAssign(self, node: ast.AugAssign) -> ast.AST:
        self.generic_visit(node)
        if not isinstance(node.target, ast.Name):
            return node
        at = _location(node)
        value = ast.BinOp(ast.Name(node.target.id, ast.Load(), **at), node.op, node.value, **at)
        return ast.Assign([node.target], _call(VALUE, value), **at)

    def visit_BoolOp(self, node: ast.BoolOp) -> ast.AST:
        self.generic_visit(node)
        name = AND if isinstance(node.op, ast.And) else OR
        result = node.values[0]
        for value in node.values[1:]:
            result = _call(name, result, _thunk(value))
        return result

    def visit_UnaryOp(self, node: ast.UnaryOp) -> ast.AST:
        self.generic_visit(node)
        return _call(NOT, node.operand) if isinstance(node.op, ast.Not) else node

    def visit_Compare(self, node: ast.Compare) -> ast.AST:
        self.generic_visit(node)
        if len(node.ops) > 1:
            raise SyntaxError(f"line {node.lineno}: Triton has no chained comparison")
        return node

    def visit_Try(self, node: ast.Try) -> ast.AST:
        # It would also hide accesses out of bounds.
        raise SyntaxError(f"line {node.lineno}: Triton has no try")

    def visit_If(self, node: ast.If) -> ast.AST:
        return self._conditional(node)

    def visit_While(self, node: ast.While) -> ast.AST:
        return self._conditional(node, AGAIN)

    def visit_IfExp(self, node: ast.IfExp) -> ast.AST:
        return self._conditional(node)

    def _conditional(self, node: Any, name: str = TRUTH) -> ast.AST:
        self.generic_visit(node)
        node.test = _call(name, node.test)
        result: ast.AST = node
        return result


def _location(node: ast.AST) -> dict[str, Any]:
    return {name: getattr(node, name) for name in node._attributes}


def _call(name: str, *arguments: ast.expr) -> ast.Call:
    at = _location(arguments[0])
    return ast.Call(ast.Name(name, ast.Load(), **at), list(arguments), [], **at)


def _discarding(value: ast.expr) -> ast.expr:
    """`tl.atomic_xchg(...)` and `pointer.atomic_xchg(...)` as a store; anything else as it is."""
    if not isinstance(value, ast.Call) or not isinstance(value.func, ast.Attribute) or value.func.attr != _EXCHANGE:
        return value
    return ast.Call(
        ast.Name(DISCARD, ast.Load(), **_location(value)), [value.func, *value.args], value.keywords, **_location(value)
    )


def _thunk(value: ast.expr) -> ast.Lambda:
    nothing = ast.arguments(posonlyargs=[], args=[], kwonlyargs=[], kw_defaults=[], defaults=[])
    return ast.Lambda(nothing, value, **_location(value))


def _parsed(fn: Callable[..., Any]) -> ast.FunctionDef:
    """The function's syntax at its own lines."""
    start, lines = fn.__code__.co_firstlineno, linecache.getlines(fn.__code__.co_filename)
    # From a line without indentation on, the rest of a file is a module; finding a function's end takes far longer.
    rest = lines[start - 1 :]
    if not rest or rest[0][:1].isspace():
        found, start = inspect.getsourcelines(fn)
        rest = text_lines(textwrap.dedent("".join(found)), keep_ends=True)
    function = ast.parse("\n" * (start - 1) + "".join(rest)).body[0]
    assert isinstance(function, ast.FunctionDef)
    return function


def has_while(fn: Callable[..., Any]) -> bool:
    """Whether a function, or one that it calls by name, has a loop that ends on a condition."""
    seen: set[int] = set()

    def found(one: Callable[..., Any]) -> bool:
        seen.add(id(one))
        for node in ast.walk(_parsed(one)):
            if isinstance(node, ast.While):
                return True
            inner = getattr(one.__globals__.get(node.id), "fn", None) if isinstance(node, ast.Name) else None
            if isinstance(inner, FunctionType) and id(inner) not in seen and found(inner):
                return True
        return False

    return found(fn)


def rewritten_code(fn: Callable[..., Any]) -> CodeType:
    """Code that defines the function, undecorated, at its own file and lines.

    Raises SyntaxError for what Triton would refuse to parse, OSError where there is no source.
    """
    function = _parsed(fn)
    function.decorator_list = []
    names = (node for node in ast.walk(function) if isinstance(node, ast.Name))
    rewriter = _Rewriter(frozenset(node.id for node in names if isinstance(node.ctx, ast.Load)))
    function.body = [rewriter.visit(statement) for statement in function.body]
    return compile(ast.Module([function], []), fn.__code__.co_filename, "exec")
