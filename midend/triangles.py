"""Which triangle of a product is all that is kept of it."""

import ast
from collections.abc import Mapping

from kernelwright.backend.host_trace import HostTrace
from kernelwright.ir.values import KernelModule
from kernelwright.midend.launches import called, find_launches, names_in
from kernelwright.midend.products import Product

#: What is kept -> the test by which Inductor's kernels for `tril` and `triu` keep it, of a matrix with n columns.
_TESTS = {
    "lower": "xindex % {n} + -1 * (xindex // {n}) <= 0",
    "upper": "xindex % {n} + -1 * (xindex // {n}) >= 0",
}


def kept_half(module: KernelModule, trace: HostTrace, product: Product) -> str:
    """`lower` or `upper` where the only use of a product is to keep that triangle, main diagonal included; else ""."""
    batches, rows, columns, _ = product.sizes
    name = product.operands[3]
    users = [s for s in trace.statements if name in names_in(s) and not isinstance(s, ast.Delete)]
    readers = [launch for launch in find_launches(module, trace) if launch.index > product.index]
    readers = [launch for launch in readers if list(launch.given.values()).count(name) == 1]
    dense = product.out.strides[1:] == (columns, 1)
    # It is made, computed and read.
    if batches > 1 or rows != columns or not dense or not name.isidentifier() or len(users) != 3 or len(readers) != 1:
        return ""
    read_as = next(key for key, value in readers[0].given.items() if value == name)
    stored = _stored(readers[0].kernel.source)
    kept = (f"tl.where({test.format(n=columns)}, LOADED, 0.0)" for test in _TESTS.values())
    return dict(zip(kept, _TESTS, strict=True)).get(stored.replace(f"tl.load({read_as} + xindex)", "LOADED"), "")


def _stored(source: str) -> str:
    """The only value that a kernel stores, in terms of `xindex`: without casts, masks and names for values; "" for
    other kernels."""
    function = ast.parse(source).body[0]
    stores = [node for node in ast.walk(function) if called(node, "tl.store")]
    assigned = [node for node in ast.walk(function) if isinstance(node, ast.Assign)]
    names = [ast.unparse(node.targets[0]) for node in assigned]
    if len(stores) != 1 or len(set(names)) != len(names):
        return ""
    values = {name: node.value for name, node in zip(names, assigned, strict=True) if name != "xindex"}
    store = stores[0]
    assert isinstance(store, ast.Call)
    return ast.unparse(_Plain(values).visit(store.args[1])) if len(store.args) > 1 else ""


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
