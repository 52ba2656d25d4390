"""Places in a kernel that may be changed, and what the launch alone decides there."""

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


#: Calls of which only the first argument is a value (the rest are axes, shapes, dtypes), and those with none.
_FIRST_ONLY = _words(
    """sum max min argmax argmin cumsum cumprod reduce associative_scan broadcast_to reshape view expand_dims trans
    permute cast flip sort ravel softmax xor_sum"""
)
_OPAQUE = _words(
    """arange program_id num_programs zeros zeros_like debug_barrier static_assert device_assert assume multiple_of
    max_contiguous max_constancy range static_range make_block_ptr advance tensor constexpr float"""
)
READS = _words("load gather load_tensor_descriptor atomic_add atomic_cas atomic_max atomic_min atomic_xchg")
WRITES = _words("store store_tensor_descriptor atomic_add atomic_max atomic_min atomic_xchg")
BUILTINS = _words("range min max abs len float int bool tuple isinstance")


@dataclass(frozen=True)
class Flow:
    """Which names of a kernel hold what the launch alone decides, and whether control flow is as fixed."""

    fixed: frozenset[str]
    steady: bool

    def decides(self, node: ast.AST) -> bool:
        """Whether an expression's value is decided by the launch: nothing in it comes from a tensor's content."""
        for part in ast.walk(node):
            if isinstance(part, ast.Name) and part.id not in self.fixed:
                return False
            if isinstance(part, ast.Attribute) and part.attr in READS:
                return False
            if isinstance(part, ast.Call) and isinstance(part.func, ast.Name) and part.func.id not in BUILTINS:
                return False
        return True


def flow_of(function: ast.FunctionDef, from_host: bool, known: frozenset[str]) -> Flow:
    """What the launch decides in a kernel; nothing about its parameters is known where other kernels call it."""
    assigned: list[tuple[frozenset[str], ast.expr]] = []
    tests: list[ast.expr] = []
    for node in ast.walk(function):
        match node:
            case ast.Assign(targets=targets, value=value):
                assigned += [(_names(target), value) for target in targets]
            case ast.AnnAssign(target=target, value=ast.expr() as value) | ast.AugAssign(target=target, value=value):
                assigned.append((_names(target), value))
            case ast.For(target=target, iter=value):
                assigned.append((_names(target), value))
                tests.append(value)
            case ast.If(test=test) | ast.While(test=test) | ast.IfExp(test=test):
                tests.append(test)
    parameters = [argument.arg for argument in function.args.args] if from_host else []
    flow = Flow(known.union(parameters, *(names for names, _ in assigned)), True)
    while lost := [names for names, value in assigned if names & flow.fixed and not flow.decides(value)]:
        flow = replace(flow, fixed=flow.fixed.difference(*lost))
    return replace(flow, steady=all(map(flow.decides, tests)))


def _names(node: ast.AST) -> frozenset[str]:
    return frozenset(part.id for part in ast.walk(node) if isinstance(part, ast.Name))


@dataclass(frozen=True)
class Site:
    """A place to change: an expression or a whole statement of a kernel. `around` are the enclosing expressions, the
    nearest first; `fixed` tells whether the launch decides its value."""

    node: ast.expr | ast.stmt
    statement: ast.stmt
    around: tuple[ast.expr, ...]
    flow: Flow

    @cached_property
    def fixed(self) -> bool:
        return self.flow.decides(self.node)


def sites(statements: Sequence[ast.stmt], flow: Flow) -> Iterator[Site]:
    """Every place of a body that may be changed, in the order of the text."""
    for statement in statements:
        yield Site(statement, statement, (), flow)
        for value in _values(statement):
            yield from _inside(value, statement, (), flow)
        for name in ("body", "orelse"):
            yield from sites(getattr(statement, name, []), flow)


def _inside(node: ast.expr, statement: ast.stmt, around: tuple[ast.expr, ...], flow: Flow) -> Iterator[Site]:
    yield Site(node, statement, around, flow)
    for part in _parts(node):
        yield from _inside(part, statement, (node, *around), flow)


def _values(statement: ast.stmt) -> list[ast.expr]:
    match statement:
        case ast.AnnAssign(annotation=kind) if "constexpr" in ast.unparse(kind):
            return []
        case ast.Assign(value=value) | ast.AugAssign(value=value) | ast.Expr(value=value):
            return [value]
        case ast.Return(value=ast.expr() as value) | ast.AnnAssign(value=ast.expr() as value):
            return [value]
        case ast.For(iter=value) | ast.If(test=value) | ast.While(test=value):
            return [value]
    return []


def _parts(node: ast.expr) -> list[ast.expr]:
    """The operands of an expression that are values: no shapes, axes or dtypes."""
    match node:
        case ast.BinOp(left=left, right=right):
            return [left, right]
        case ast.Compare(left=left, comparators=others):
            return [left, *others]
        case ast.BoolOp(values=parts) | ast.Tuple(elts=parts):
            return list(parts)
        case ast.UnaryOp(operand=part) | ast.Subscript(value=part):
            return [part]
        case ast.IfExp(test=test, body=body, orelse=other):
            return [test, body, other]
        case ast.Call():
            return _operands(node)
    return []


def _operands(call: ast.Call) -> list[ast.expr]:
    name, method = callee(call)
    if method is not None:
        return [method, *call.args] if name in WRITES else [method]
    if name in _OPAQUE:
        return []
    if name == "full":
        return call.args[1:2]
    named = [keyword.value for keyword in call.keywords if keyword.arg in ("mask", "acc")]
    count = 1 if name in _FIRST_ONLY else 2 if name == "load" else len(call.args)
    own = isinstance(call.func, ast.Name)  # numbers among the arguments of a kernel's own function are axes
    return [part for part in call.args[:count] if not (own and isinstance(part, ast.Constant))] + named


def callee(call: ast.Call) -> tuple[str, ast.expr | None]:
    """The name of what is called and, for a method of a value, that value."""
    match call.func:
        case ast.Name(id=name):
            return name, None
        case ast.Attribute(value=ast.Name(id="tl" | "triton" | "libdevice"), attr=name):
            return name, None
        case ast.Attribute(value=ast.Attribute(attr="math"), attr=name):
            return name, None
        case ast.Attribute(value=value, attr=name):
            return name, value
    return "", None


def text_of(node: ast.AST) -> str:
    """A node as source, made-up ones included."""
    return ast.unparse(ast.fix_missing_locations(node))
