"""Turn a kernel's source into Python that behaves, under the interpreter, as Triton compiles it.

Plain Python differs from Triton in four ways that would give wrong values without any error: an assigned number
becomes a tensor, `and`, `or` and `not` work elementwise, a block is no condition, and loop counters are tensors.
"""

import ast
import inspect
import textwrap
from collections.abc import Callable
from types import CodeType
from typing import Any

#: Names that rewritten code calls; the interpreter binds them.
VALUE, AND, OR, NOT, TRUTH = "__kw_value__", "__kw_and__", "__kw_or__", "__kw_not__", "__kw_truth__"


class _Rewriter(ast.NodeTransformer):
    def visit_Assign(self, node: ast.Assign) -> ast.AST:
        self.generic_visit(node)
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
        value = ast.BinOp(ast.Name(node.target.id, ast.Load()), node.op, node.value)
        ast.copy_location(value, node)
        return ast.copy_location(ast.Assign([node.target], _call(VALUE, value)), node)

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

    def visit_If(self, node: ast.If) -> ast.AST:
        return self._conditional(node)

    def visit_While(self, node: ast.While) -> ast.AST:
        return self._conditional(node)

    def visit_IfExp(self, node: ast.IfExp) -> ast.AST:
        return self._conditional(node)

    def _conditional(self, node: Any) -> ast.AST:
        self.generic_visit(node)
        node.test = _call(TRUTH, node.test)
        result: ast.AST = node
        return result


def _call(name: str, *arguments: ast.expr) -> ast.Call:
    return ast.copy_location(ast.Call(ast.Name(name, ast.Load()), list(arguments), []), arguments[0])


def _thunk(value: ast.expr) -> ast.Lambda:
    nothing = ast.arguments(posonlyargs=[], args=[], kwonlyargs=[], kw_defaults=[], defaults=[])
    return ast.copy_location(ast.Lambda(nothing, value), value)


def rewritten_code(fn: Callable[..., Any]) -> CodeType:
    """Code that defines the function, undecorated, at its own file and lines.

    Raises SyntaxError for what Triton would refuse to parse.
    """
    lines, start = inspect.getsourcelines(fn)
    tree = ast.parse(textwrap.dedent("".join(lines)))
    function = tree.body[0]
    assert isinstance(function, ast.FunctionDef)
    function.decorator_list = []
    ast.increment_lineno(tree, start - 1)
    function.body = [_Rewriter().visit(statement) for statement in function.body]
    return compile(ast.fix_missing_locations(tree), fn.__code__.co_filename, "exec")
