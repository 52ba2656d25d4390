"""A kernel's tree made plain: no copies, no masks that are always true, no dead values, names that say something."""

import ast
import re
from collections import Counter

from kernelwright.frontend.inductor.bindings import (
    Rename,
    Substitute,
    assignments,
    bound_once,
    call_name,
    drop_statements,
)

#: Calls with an effect: their statements stay though nothing reads what they bind.
EFFECTS = frozenset("store atomic_add atomic_max atomic_min atomic_xchg atomic_cas grid_barrier debug_barrier".split())


def simplify(function: ast.FunctionDef) -> None:
    """Rewrite until nothing changes."""
    for _ in range(4):
        before = ast.dump(function)
        _propagate_copies(function)
        _TrueMasks(_true_masks(function)).visit(function)
        _inline_scalars(function)
        _drop_dead(function)
        if ast.dump(function) == before:
            break


def _propagate_copies(function: ast.FunctionDef) -> None:
    """Where a name is another name of a value, use that value's name."""
    single = bound_once(function)
    fixed = set(single) | {argument.arg for argument in function.args.args}
    changed = {name for name, _, _ in assignments(function)} - set(single)

    def root(name: str) -> str:
        value = single.get(name)
        while isinstance(value, ast.Name) and value.id in fixed and value.id not in changed:
            name, value = value.id, single.get(value.id)
        return name

    copies = {n: ast.Name(root(n), ast.Load()) for n, v in single.items() if isinstance(v, ast.Name) and root(n) != n}
    Substitute(copies).visit(function)


def _true_masks(function: ast.FunctionDef) -> set[str]:
    """Names of masks that are true everywhere: `tl.full([...], True, tl.int1)`, perhaps indexed."""
    found = set()
    for name, value in bound_once(function).items():
        inner: ast.expr = value
        while isinstance(inner, ast.Subscript):
            inner = inner.value
        if call_name(inner) == "full" and isinstance(inner, ast.Call) and len(inner.args) > 1:
            flag = inner.args[1]
            if isinstance(flag, ast.Constant) and flag.value is True:
                found.add(name)
    return found


class _TrueMasks(ast.NodeTransformer):
    """Drop masks that are true everywhere, and `other=` where no mask is left."""

    def __init__(self, masks: set[str]) -> None:
        self.masks = masks

    def _true(self, node: ast.expr) -> bool:
        return isinstance(node, ast.Name) and node.id in self.masks

    def visit_BinOp(self, node: ast.BinOp) -> ast.expr:
        self.generic_visit(node)
        if isinstance(node.op, ast.BitAnd):
            if self._true(node.left):
                return node.right
            if self._true(node.right):
                return node.left
        return node

    def visit_Call(self, node: ast.Call) -> ast.expr:
        self.generic_visit(node)
        name = call_name(node)
        if name == "where" and self._true(node.args[0]):
            return node.args[1]
        position = {"load": 1, "store": 2, "atomic_add": 2}.get(name)
        if position is None or len(node.args) <= position:
            return node
        mask = node.args[position]
        if self._true(mask) or (isinstance(mask, ast.Constant) and mask.value is None):
            del node.args[position:]
            node.keywords = [keyword for keyword in node.keywords if keyword.arg != "other"]
        return node


def _inline_scalars(function: ast.FunctionDef) -> None:
    """Write float constants where they are used in arithmetic instead of naming a one-element tensor."""
    single = bound_once(function)
    scalars = {name: scalar for name, value in single.items() if (scalar := _float_constant(value)) is not None}

    class Inline(ast.NodeTransformer):
        def visit_BinOp(self, node: ast.BinOp) -> ast.expr:
            self.generic_visit(node)
            left, right = self.scalar(node.left), self.scalar(node.right)
            if right is not None and left is None and not isinstance(node.left, ast.Constant):
                node.right = right
            elif left is not None and right is None and not isinstance(node.right, ast.Constant):
                node.left = left
            return node

        def visit_Compare(self, node: ast.Compare) -> ast.expr:
            self.generic_visit(node)
            right = self.scalar(node.comparators[0])
            if len(node.ops) == 1 and right is not None and self.scalar(node.left) is None:
                node.comparators[0] = right
            return node

        def scalar(self, node: ast.expr) -> ast.expr | None:
            return scalars.get(node.id) if isinstance(node, ast.Name) else None

    Inline().visit(function)


def _float_constant(value: ast.expr) -> ast.expr | None:
    if call_name(value) != "full" or not isinstance(value, ast.Call) or len(value.args) != 3:
        return None
    shape, number, dtype = value.args
    if not (isinstance(shape, ast.List) and all(isinstance(e, ast.Constant) and e.value == 1 for e in shape.elts)):
        return None
    is_float = isinstance(dtype, ast.Attribute) and dtype.attr in ("float32", "float64")
    text = ast.unparse(number)
    return number if is_float and re.fullmatch(r"-?[\d.]+(e[+-]?\d+)?", text) else None


def _drop_dead(function: ast.FunctionDef) -> None:
    """Drop assignments that nothing reads; a load has no effect, a store or an atomic has."""
    while True:
        read = {n.id for n in ast.walk(function) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load)}

        def dead(statement: ast.stmt, read: set[str] = read) -> bool:
            if isinstance(statement, ast.Pass):
                return True
            if not isinstance(statement, ast.Assign | ast.AnnAssign):
                return False
            targets = statement.targets if isinstance(statement, ast.Assign) else [statement.target]
            bound = {n.id for t in targets for n in ast.walk(t) if isinstance(n, ast.Name)}
            effects = any(call_name(node) in EFFECTS for node in ast.walk(statement))
            return not effects and not bound & read

        before = ast.dump(function)
        drop_statements(function, dead)
        if ast.dump(function) == before:
            return


_OPERATORS = {
    ast.Add: "add",
    ast.Sub: "sub",
    ast.Mult: "mul",
    ast.Div: "div",
    ast.BitAnd: "both",
    ast.BitOr: "either",
}


def name_values(function: ast.FunctionDef) -> None:
    """Name `tmp…` values after what makes them: the tensor loaded, the function called, the operator."""
    names = {n.id for n in ast.walk(function) if isinstance(n, ast.Name)} | {a.arg for a in function.args.args}
    renamed: dict[str, str] = {}
    counts: Counter[str] = Counter()
    for name, value, _ in _assignments_in_order(function):
        if name in renamed or not re.match(r"_?tmp\d", name):
            continue
        stem = _stem(name, value)
        while True:
            fresh = stem if counts[stem] == 0 and stem not in _BUILTIN_STEMS else f"{stem}_{counts[stem]}"
            counts[stem] += 1
            if fresh not in names:
                break
        renamed[name] = fresh
        names.add(fresh)
    Rename(renamed).visit(function)


#: Stems that would hide a builtin or be mistaken for a function: these always carry a number.
_BUILTIN_STEMS = frozenset({"sum", "max", "min", "abs", "pow", "range", "round", "to", "full", "where", "any", "all"})


def _assignments_in_order(function: ast.FunctionDef) -> list[tuple[str, ast.expr | None, ast.stmt]]:
    return sorted(assignments(function), key=lambda item: (item[2].lineno, item[2].col_offset))


def _stem(name: str, value: ast.expr | None) -> str:
    if name.startswith("_tmp"):
        return "acc"
    while isinstance(value, ast.Subscript):
        value = value.value
    if isinstance(value, ast.BinOp):
        return _OPERATORS.get(type(value.op), "value")
    if isinstance(value, ast.Compare):
        return "test"
    if isinstance(value, ast.UnaryOp):
        return "neg"
    called = call_name(value) if value is not None else ""
    if called == "load" and isinstance(value, ast.Call):
        pointers = [n.id for n in ast.walk(value.args[0]) if isinstance(n, ast.Name) and n.id.endswith("_ptr")]
        return pointers[0].removesuffix("_ptr") if pointers else "loaded"
    if called == "to" and isinstance(value, ast.Call) and isinstance(value.func, ast.Attribute):
        return "cast" if isinstance(value.func.value, ast.Name) else _stem(name, value.func.value)
    return called.removeprefix("_") or "value"
