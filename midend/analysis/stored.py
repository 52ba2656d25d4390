"""What a kernel stores, as one expression: the same however a version of Inductor names and casts its parts."""

import ast
from collections.abc import Mapping

from kernelwright.ir.values import Kernel
from kernelwright.midend.analysis.launches import called, function_of


def stored(kernel: Kernel) -> tuple[str, str]:
    """Address and value of a kernel's only store, in terms of `xindex`: without casts, masks and names for values. Two
    empty texts for other kernels."""
    function = function_of(kernel)
    stores = [node for node in ast.walk(function) if called(node, "tl.store")]
    assigned = [node for node in ast.walk(function) if isinstance(node, ast.Assign)]
    names = [ast.unparse(node.targets[0]) for node in assigned]
    if len(stores) != 1 or len(set(names)) != len(names):
        return "", ""
    values = {name: node.value for name, node in zip(names, assigned, strict=True) if name != "xindex"}
    store = stores[0]
    assert isinstance(store, ast.Call)
    address, value = (ast.unparse(_Plain(values).visit(part)) for part in store.args[:2])
    return address, value


class _Plain(ast.NodeTransformer):
    """Puts values in the place of their names; drops casts, masks and the shapes of constants."""

    def __init__(self, values: Mapping[str, ast.expr]) -> None:
        self._values = values

    def visit_Name(self, node: ast.Name) -> ast.AST:
        value = self._values.get(node.id)
        return node if value is None else self.visit(ast.parse(ast.unparse(value), mode="eval").body)

    def visit_Call(self, node: ast.Call) -> ast.AST:
        match node:
            case ast.Call(ast.Attribute(value, "to"), [_]):
                plain: ast.AST = self.visit(value)
                return plain
            case ast.Call(ast.Attribute(_, "full"), [_, number, _]):
                return number
            case ast.Call(ast.Attribute(_, "load"), [address, *_]):
                return ast.Call(node.func, [self.visit(address)], [])
        return self.generic_visit(node)
