"""One kernel as Inductor prints it -> one plain kernel.

Rewrites work on the syntax tree, one small function or class each, applied in the order of `normalize`.
"""

import ast
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from kernelwright.frontend.inductor.library import DEVICE_FUNCTIONS
from kernelwright.ir.errors import LoweringError

#: Names under which Inductor's kernel text imports its helpers.
LIBRARIES = ("libdevice", "triton_helpers", "tl_math", "helpers")

#: Assignments that are kept though nothing reads them: none; loads and arithmetic have no effect.
EFFECTS = frozenset(
    {
        "store",
        "atomic_add",
        "atomic_max",
        "atomic_min",
        "atomic_xchg",
        "atomic_cas",
        "grid_barrier",
        "debug_barrier",
    }
)


@dataclass(frozen=True)
class InductorKernel:
    """A kernel as Inductor printed it: its tree, the functions beside it, and what its heuristics were told.

    `options` are the literals of its `inductor_meta`, `hints` its other literals and the names of enumerated ones.
    """

    name: str
    function: ast.FunctionDef
    combines: tuple[ast.FunctionDef, ...]
    heuristic: str
    size_hints: Mapping[str, int]
    hints: Mapping[str, object]
    options: Mapping[str, object]
    covers: tuple[str, ...]


@dataclass(frozen=True)
class PlainKernel:
    """The rewritten kernel: its tree, Inductor's run-time parameters in order and which of them were sizes
    and are gone, the constexpr parameters, and the device functions that it calls."""

    function: ast.FunctionDef
    parameters: tuple[str, ...]
    sizes: Mapping[str, int]
    constexprs: tuple[str, ...]
    calls: tuple[str, ...]


def read_kernel(name: str, text: str, covers: tuple[str, ...]) -> InductorKernel:
    """Find the kernel and its heuristics call in the text handed to `async_compile.triton`."""
    tree = ast.parse(text)
    functions = [node for node in tree.body if isinstance(node, ast.FunctionDef)]
    main = next((node for node in functions if node.name == name or node.name == "triton_"), functions[-1])
    heuristic = ""
    told: dict[str, ast.expr] = {}
    for decorator in main.decorator_list:
        if isinstance(decorator, ast.Call) and isinstance(decorator.func, ast.Attribute):
            heuristic = decorator.func.attr
            told = {keyword.arg: keyword.value for keyword in decorator.keywords if keyword.arg is not None}
    combines = tuple(node for node in functions if node is not main)
    sizes, meta = (_literals(told.pop(key, None)) for key in ("size_hints", "inductor_meta"))
    hints: dict[str, object] = {name: value.attr for name, value in told.items() if isinstance(value, ast.Attribute)}
    hints |= {name: value.value for name, value in told.items() if isinstance(value, ast.Constant)}
    return InductorKernel(name, main, combines, heuristic, sizes, hints, meta, covers)


def _literals(node: ast.expr | None) -> dict[str, Any]:
    """What a dictionary holds under keys that are constants, as far as its values are literals."""
    found: dict[str, Any] = {}
    if isinstance(node, ast.Dict):
        for key, value in zip(node.keys, node.values, strict=True):
            with suppress(ValueError):
                if isinstance(key, ast.Constant):
                    found[str(key.value)] = ast.literal_eval(value)
    return found


def normalize(kernel: InductorKernel, names: Mapping[str, str]) -> PlainKernel:
    """Plain Triton for `kernel`; `names` renames its pointer parameters and combine functions."""
    function = kernel.function
    function.decorator_list = [ast.parse("triton.jit", mode="eval").body]
    parameters = tuple(a.arg for a in function.args.args if a.annotation is None)
    sizes = _drop_sizes(function)
    library = _Library()
    library.visit(function)
    for _ in range(4):
        before = ast.dump(function)
        _propagate_copies(function)
        _TrueMasks(_true_masks(function)).visit(function)
        _inline_scalars(function)
        _drop_dead(function)
        if ast.dump(function) == before:
            break
    _Rename(dict(names)).visit(function)
    _name_values(function)
    function.args.args = [argument for argument in function.args.args if argument.arg not in sizes]
    constexprs = tuple(a.arg for a in function.args.args if a.annotation is not None)
    ast.fix_missing_locations(function)
    return PlainKernel(function, parameters, sizes, constexprs, tuple(sorted(library.used)))


def _assignments(function: ast.FunctionDef) -> Iterator[tuple[str, ast.expr | None, ast.stmt]]:
    """(name, value or None where not a plain assignment, statement) for everything that binds a name."""
    for node in ast.walk(function):
        if isinstance(node, ast.Assign):
            for target in node.targets:
                if isinstance(target, ast.Name):
                    yield target.id, node.value, node
                else:
                    for part in ast.walk(target):
                        if isinstance(part, ast.Name):
                            yield part.id, None, node
        elif isinstance(node, ast.AnnAssign | ast.AugAssign) and isinstance(node.target, ast.Name):
            value = node.value if isinstance(node, ast.AnnAssign) else None
            yield node.target.id, value, node
        elif isinstance(node, ast.For):
            for part in ast.walk(node.target):
                if isinstance(part, ast.Name):
                    yield part.id, None, node


def _drop_sizes(function: ast.FunctionDef) -> dict[str, int]:
    """Replace the size parameters, which the body sets to constants, by these constants."""
    parameters = {argument.arg for argument in function.args.args}
    sizes: dict[str, int] = {}
    for name, value, _ in _assignments(function):
        if name in parameters and isinstance(value, ast.Constant) and isinstance(value.value, int):
            sizes[name] = value.value
    _drop_statements(function, lambda stmt: isinstance(stmt, ast.Assign) and _target(stmt) in sizes)
    Substitute({name: ast.Constant(size) for name, size in sizes.items()}).visit(function)
    return sizes


def _target(statement: ast.stmt) -> str:
    if isinstance(statement, ast.Assign) and isinstance(statement.targets[0], ast.Name):
        return statement.targets[0].id
    if isinstance(statement, ast.AnnAssign) and isinstance(statement.target, ast.Name):
        return statement.target.id
    return ""


def _drop_statements(function: ast.FunctionDef, condition: Callable[[ast.stmt], bool]) -> None:
    for node in ast.walk(function):
        body = getattr(node, "body", None)
        if isinstance(body, list):
            body[:] = [stmt for stmt in body if not condition(stmt)]
            if not body:
                body.append(ast.Pass())


class Substitute(ast.NodeTransformer):
    """Replace the reading of names by expressions."""

    def __init__(self, values: Mapping[str, ast.expr]) -> None:
        self.values = values

    def visit_Name(self, node: ast.Name) -> ast.expr:
        if isinstance(node.ctx, ast.Load) and node.id in self.values:
            return self.values[node.id]
        return node


class _Rename(ast.NodeTransformer):
    """Rename variables, parameters and called functions."""

    def __init__(self, names: Mapping[str, str]) -> None:
        self.names = names

    def visit_Name(self, node: ast.Name) -> ast.expr:
        node.id = self.names.get(node.id, node.id)
        return node

    def visit_arg(self, node: ast.arg) -> ast.arg:
        node.arg = self.names.get(node.arg, node.arg)
        return node


class _Library(ast.NodeTransformer):
    """Calls into Inductor's helpers and libdevice become calls of `tl` or of our device functions."""

    def __init__(self) -> None:
        self.used: set[str] = set()

    def visit_Call(self, node: ast.Call) -> ast.expr:
        self.generic_visit(node)
        if isinstance(node.func, ast.Name) and node.func.id == "promote_to_tensor" and node.args:
            return node.args[0]
        return node

    def visit_Attribute(self, node: ast.Attribute) -> ast.expr:
        self.generic_visit(node)
        if not (isinstance(node.value, ast.Name) and node.value.id in LIBRARIES):
            return node
        if node.attr == "promote_to_tensor":
            return ast.Name("promote_to_tensor", ast.Load())
        target = DEVICE_FUNCTIONS.get(node.attr)
        if target is None:
            raise LoweringError(
                f"Inductor calls {node.value.id}.{node.attr}, for which there is no device function; "
                "keep the operation that needs it outside the compiled program"
            )
        if target.startswith("tl."):
            return ast.Attribute(ast.Name("tl", ast.Load()), target[3:], ast.Load())
        self.used.add(target)
        return ast.Name(target, ast.Load())


def _single(function: ast.FunctionDef) -> dict[str, ast.expr]:
    """Names bound exactly once, by a plain assignment, to the value."""
    bound = Counter(name for name, _, _ in _assignments(function))
    bound.update(argument.arg for argument in function.args.args)
    return {name: value for name, value, _ in _assignments(function) if value is not None and bound[name] == 1}


def _propagate_copies(function: ast.FunctionDef) -> None:
    """Where a name is another name of a value, use that value's name."""
    single = _single(function)
    fixed = set(single) | {argument.arg for argument in function.args.args}
    changed = {name for name, _, _ in _assignments(function)} - set(single)

    def root(name: str) -> str:
        value = single.get(name)
        while isinstance(value, ast.Name) and value.id in fixed and value.id not in changed:
            name, value = value.id, single.get(value.id)
        return name

    copies = {n: ast.Name(root(n), ast.Load()) for n, v in single.items() if isinstance(v, ast.Name) and root(n) != n}
    Substitute(copies).visit(function)


def _call_name(node: ast.AST) -> str:
    """`full` for `tl.full(...)`, `promote` for `promote(...)`, else ""."""
    if not isinstance(node, ast.Call):
        return ""
    return node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")


def _true_masks(function: ast.FunctionDef) -> set[str]:
    """Names of masks that are true everywhere: `tl.full([...], True, tl.int1)`, perhaps indexed."""
    found = set()
    for name, value in _single(function).items():
        inner: ast.expr = value
        while isinstance(inner, ast.Subscript):
            inner = inner.value
        if _call_name(inner) == "full" and isinstance(inner, ast.Call) and len(inner.args) > 1:
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
        name = _call_name(node)
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
    single = _single(function)
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
    if _call_name(value) != "full" or not isinstance(value, ast.Call) or len(value.args) != 3:
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
            effects = any(_call_name(node) in EFFECTS for node in ast.walk(statement))
            return not effects and not bound & read

        before = ast.dump(function)
        _drop_statements(function, dead)
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


def _name_values(function: ast.FunctionDef) -> None:
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
    _Rename(renamed).visit(function)


#: Stems that would hide a builtin or be mistaken for a function: these always carry a number.
_BUILTIN_STEMS = frozenset({"sum", "max", "min", "abs", "pow", "range", "round", "to", "full", "where", "any", "all"})


def _assignments_in_order(function: ast.FunctionDef) -> list[tuple[str, ast.expr | None, ast.stmt]]:
    return sorted(_assignments(function), key=lambda item: (item[2].lineno, item[2].col_offset))


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
    called = _call_name(value) if value is not None else ""
    if called == "load" and isinstance(value, ast.Call):
        pointers = [n.id for n in ast.walk(value.args[0]) if isinstance(n, ast.Name) and n.id.endswith("_ptr")]
        return pointers[0].removesuffix("_ptr") if pointers else "loaded"
    if called == "to" and isinstance(value, ast.Call) and isinstance(value.func, ast.Attribute):
        return "cast" if isinstance(value.func.value, ast.Name) else _stem(name, value.func.value)
    return called.removeprefix("_") or "value"
