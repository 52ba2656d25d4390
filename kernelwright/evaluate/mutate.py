"""The strength of the checks: faulty variants of a right module, and the share of them that an evaluator kills.

A mutant differs from its module in one place, and is of one of these kinds: `mask`, `bound` (of a loop), `stride` (and
sizes in index arithmetic), `operator`, `constant`, `accumulate` (in 16 bits), `term` (dropped), `arguments` (swapped),
`store` (dropped), `axis` (of the grid) and `grid` (one program too few, axes swapped).

A mutant that computes what the module computes must not count as a survivor. What was found out about each is its
`Fate`, and proof is told apart from observation. Finding out runs the reference and the mutant in this process,
the latter in the guarded interpreter: it is a module in the dialect, changed by us.
"""

import ast
import copy
import itertools
import math
import random
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import cached_property

import torch
from torch import Tensor

from kernelwright.agent.evaluator import Evaluator, Rung, Status
from kernelwright.backend.compiler import compile_module
from kernelwright.backend.execute import load_module
from kernelwright.backend.interpreter import InterpreterRuntime
from kernelwright.backend.jit import needed_kernels
from kernelwright.backend.reference import ReferenceProgram
from kernelwright.backend.targets import get_target
from kernelwright.backend.tensors import SHORT_DTYPES, Value
from kernelwright.evaluate.correctness import FLOORS
from kernelwright.evaluate.tensors import copy_of
from kernelwright.ir.errors import KernelwrightError, UserError
from kernelwright.ir.values import KernelModule
from kernelwright.ir.verifier import launched, verify


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
_READS = _words("load gather load_tensor_descriptor atomic_add atomic_cas atomic_max atomic_min atomic_xchg")
_WRITES = _words("store store_tensor_descriptor atomic_add atomic_max atomic_min atomic_xchg")
_BUILTINS = _words("range min max abs len float int bool tuple isinstance")
_INDEX_ONLY = (ast.Mult, ast.Mod, ast.FloorDiv)

_OPERATORS: Mapping[type[ast.AST], tuple[type[ast.AST], ...]] = {
    ast.Add: (ast.Sub,),
    ast.Sub: (ast.Add,),
    ast.Mult: (ast.Add,),
    ast.Div: (ast.Mult,),
    ast.FloorDiv: (ast.Mod,),
    ast.Mod: (ast.FloorDiv,),
    ast.BitAnd: (ast.BitOr,),
    ast.BitOr: (ast.BitAnd,),
    ast.And: (ast.Or,),
    ast.Or: (ast.And,),
    ast.Lt: (ast.LtE, ast.GtE),
    ast.LtE: (ast.Lt, ast.Gt),
    ast.Gt: (ast.GtE, ast.LtE),
    ast.GtE: (ast.Gt, ast.Lt),
    ast.Eq: (ast.NotEq,),
    ast.NotEq: (ast.Eq,),
}
_FUNCTIONS = {"sum": "max", "maximum": "minimum", "minimum": "maximum", "max": "min", "min": "max", "exp": "exp2"}
_FUNCTIONS |= {"exp2": "exp", "log": "log2", "log2": "log", "sqrt": "rsqrt", "rsqrt": "sqrt", "sin": "cos"}
_FUNCTIONS |= {"cos": "sin", "floor": "ceil", "ceil": "floor", "argmax": "argmin", "argmin": "argmax"}
_FUNCTIONS |= {"cumsum": "cumprod", "cumprod": "cumsum", "atomic_add": "atomic_max", "sigmoid": "exp"}


@dataclass(frozen=True)
class Mutant:
    """A module with one change. `kernel` is the kernel's symbol, or the launcher's entry for a change of host code;
    `line` counts from 1 in the unchanged source of either. `probes` are conditions, as source lines with their place:
    where one holds in every program, the change changes nothing."""

    module: KernelModule
    kind: str
    kernel: str
    line: int
    description: str
    probes: tuple[str, ...] = ()
    before: int = 0


@dataclass(frozen=True)
class _Flow:
    """Which names of a kernel hold what the launch alone decides, and whether control flow is as fixed."""

    fixed: frozenset[str]
    steady: bool

    def decides(self, node: ast.AST) -> bool:
        """Whether an expression's value is decided by the launch: nothing in it comes from a tensor's content."""
        for part in ast.walk(node):
            if isinstance(part, ast.Name) and part.id not in self.fixed:
                return False
            if isinstance(part, ast.Attribute) and part.attr in _READS:
                return False
            if isinstance(part, ast.Call) and isinstance(part.func, ast.Name) and part.func.id not in _BUILTINS:
                return False
        return True


def _flow(function: ast.FunctionDef, from_host: bool, known: frozenset[str]) -> _Flow:
    """What the launch decides in a kernel; nothing about its parameters is known where other kernels call it."""
    assigned: list[tuple[ast.AST, ast.AST]] = []
    tests: list[ast.AST] = []
    for node in ast.walk(function):
        if isinstance(node, ast.Assign):
            assigned += [(target, node.value) for target in node.targets]
        elif isinstance(node, ast.AnnAssign) and node.value is not None:
            assigned.append((node.target, node.value))
        elif isinstance(node, ast.AugAssign):
            assigned.append((node.target, ast.Tuple([ast.Name(_text(node.target), ast.Load()), node.value])))
        elif isinstance(node, ast.For):
            assigned.append((node.target, node.iter))
            tests.append(node.iter)
        elif isinstance(node, ast.If | ast.While | ast.IfExp):
            tests.append(node.test)
    parameters = {argument.arg for argument in function.args.args} if from_host else set()
    targets = {part.id for target, _ in assigned for part in ast.walk(target) if isinstance(part, ast.Name)}
    flow = _Flow(known | parameters | targets, True)
    while True:
        lost = {
            part.id
            for target, value in assigned
            if not flow.decides(value)
            for part in ast.walk(target)
            if isinstance(part, ast.Name)
        }
        if not lost & flow.fixed:
            return replace(flow, steady=all(flow.decides(test) for test in tests))
        flow = replace(flow, fixed=flow.fixed - lost)


@dataclass(frozen=True)
class _Site:
    """A place to change: an expression or a whole statement of a kernel. `around` are the enclosing expressions, the
    nearest first; `fixed` tells whether the launch decides its value."""

    node: ast.AST
    statement: ast.stmt
    around: tuple[ast.expr, ...]
    flow: _Flow

    @cached_property
    def fixed(self) -> bool:
        return self.flow.decides(self.node)


def _sites(statements: Sequence[ast.stmt], flow: _Flow) -> Iterator[_Site]:
    """Every place of a body that may be changed, in the order of the text."""
    for statement in statements:
        yield _Site(statement, statement, (), flow)
        for value in _values(statement):
            yield from _inside(value, statement, (), flow)
        for name in ("body", "orelse"):
            yield from _sites(getattr(statement, name, []), flow)


def _inside(node: ast.expr, statement: ast.stmt, around: tuple[ast.expr, ...], flow: _Flow) -> Iterator[_Site]:
    yield _Site(node, statement, around, flow)
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
    name, method = _callee(call)
    if method is not None:
        return [method, *call.args] if name in _WRITES else [method]
    if name in _OPAQUE:
        return []
    if name == "full":
        return call.args[1:2]
    named = [keyword.value for keyword in call.keywords if keyword.arg in ("mask", "acc")]
    count = 1 if name in _FIRST_ONLY else 2 if name == "load" else len(call.args)
    own = isinstance(call.func, ast.Name)  # numbers among the arguments of a kernel's own function are axes
    return [part for part in call.args[:count] if not (own and isinstance(part, ast.Constant))] + named


def _callee(call: ast.Call) -> tuple[str, ast.expr | None]:
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


def _text(node: ast.AST) -> str:
    return ast.unparse(ast.fix_missing_locations(copy.deepcopy(node)))


def _number(value: float) -> ast.expr:
    return ast.Constant(value) if value >= 0 else ast.UnaryOp(ast.USub(), ast.Constant(-value))


def _shifted(node: ast.expr, by: ast.expr | int) -> ast.expr:
    """`node + by`, folded where both are numbers."""
    if isinstance(node, ast.Constant) and isinstance(node.value, int) and isinstance(by, int):
        return _number(node.value + by)
    if isinstance(by, int):
        return ast.BinOp(node, ast.Add() if by > 0 else ast.Sub(), ast.Constant(abs(by)))
    return ast.BinOp(node, ast.Add(), by)


def _with(node: ast.AST, **fields: object) -> ast.AST:
    """A copy with other fields; the rest is shared."""
    changed = copy.copy(node)
    for name, value in fields.items():
        setattr(changed, name, value)
    return changed


def _masks(site: _Site) -> Iterator[ast.AST]:
    """Masks dropped, halved, off by one; lanes outside filled with something else."""
    node = site.node
    match node:
        case ast.Call(args=args, keywords=keywords) if (name := _callee(node)[0]) in ("load", "store"):
            place = 1 if name == "load" else 2
            named = {keyword.arg: keyword.value for keyword in keywords}
            if len(args) > place or "mask" in named:
                rest = [keyword for keyword in keywords if keyword.arg not in ("mask", "other")]
                yield _with(node, args=args[:place], keywords=rest)
            if isinstance(named.get("other"), ast.expr):
                zero = _text(named["other"]) in ("0", "0.0")
                others = [
                    ast.keyword(k.arg, ast.Constant(1.0 if zero else 0.0)) if k.arg == "other" else k for k in keywords
                ]
                yield _with(node, keywords=others)
        case ast.Call(args=[condition, value, _]) if _callee(node)[0] == "where" and site.flow.decides(condition):
            yield value
        case ast.BinOp(op=ast.BitAnd(), left=left, right=right) if site.fixed:
            yield left
            yield right
        case ast.Compare(left=left, ops=[ast.Lt() | ast.LtE() | ast.Gt() | ast.GtE()], comparators=[limit]):
            if site.fixed:
                yield _with(node, comparators=[_shifted(limit, 1)])
                yield _with(node, comparators=[_shifted(limit, -1)])


def _bounds(site: _Site) -> Iterator[ast.AST]:
    """Loops that make one turn more or less."""
    match site.node:
        case ast.Call(args=args) if _callee(site.node)[0] in ("range", "static_range") and args:
            start, stop = (ast.Constant(0), args[0]) if len(args) == 1 else (args[0], args[1])
            step = args[2:3]
            turn: ast.expr = step[0] if step else ast.Constant(1)
            yield _with(site.node, args=[start, ast.BinOp(stop, ast.Sub(), turn), *step])
            yield _with(site.node, args=[start, ast.BinOp(stop, ast.Add(), turn), *step])
            yield _with(site.node, args=[ast.BinOp(start, ast.Add(), turn), stop, *step])


def _strides(site: _Site) -> Iterator[ast.AST]:
    """Strides, divisors and moduli of index arithmetic off by one."""
    node = site.node
    if not isinstance(node, ast.BinOp) or not isinstance(node.op, _INDEX_ONLY) or not site.fixed:
        return
    if isinstance(node.left, ast.Constant | ast.UnaryOp):
        yield _with(node, left=_shifted(node.left, 1))
    else:
        yield _with(node, right=_shifted(node.right, 1))
        if not isinstance(node.op, ast.Mult):
            yield _with(node, right=_shifted(node.right, -1))


def _operators(site: _Site) -> Iterator[ast.AST]:
    """Another operator or function; signs and negations dropped."""
    node = site.node
    match node:
        case ast.BinOp(op=op) | ast.BoolOp(op=op):
            yield from (_with(node, op=other()) for other in _OPERATORS.get(type(op), ()))
        case ast.Compare(ops=[op]):
            yield from (_with(node, ops=[other()]) for other in _OPERATORS.get(type(op), ()))
        case ast.UnaryOp(op=ast.USub() | ast.Not() | ast.Invert(), operand=operand):
            yield operand
        case ast.Call(func=func, args=args):
            name, method = _callee(node)
            if name in _FUNCTIONS and isinstance(func, ast.Attribute):
                yield _with(node, func=_with(func, attr=_FUNCTIONS[name]))
            elif name == "abs" and (args or method):
                yield args[0] if args else method  # type: ignore[misc]


def _constants(site: _Site) -> Iterator[ast.AST]:
    """Numbers doubled, dropped, off by one; small ones, such as an epsilon, by more."""
    outer = site.around[0] if site.around else None
    index = outer is not None and site.flow.decides(outer)
    match site.node:
        case ast.Constant(value=bool() | str()):
            return
        case ast.Constant(value=float(value)):
            yield _number(value * 2 if value else 1.0)
            if 0 < value < 1e-3:
                yield _number(0.0)
                yield _number(value * 100)
        case ast.Constant(value=int(value)):
            scaled = isinstance(outer, ast.BinOp) and isinstance(outer.op, _INDEX_ONLY)
            if not (index and (scaled or isinstance(outer, ast.Compare))):  # those are strides and masks
                yield _number(value + 1)
        case ast.Call(func=ast.Name(id="float"), args=[ast.Constant(value=str(text))]) if text.strip("-+") == "inf":
            yield ast.Constant(0.0)


def _accumulators(site: _Site) -> Iterator[ast.AST]:
    """Sums kept in 16 bits."""
    node = site.node
    if "tl.int" in _text(site.statement):
        return
    for kind in ("float16", "bfloat16"):
        match node:
            case ast.Call() if _callee(node)[0] in ("sum", "dot", "cumsum"):
                yield _narrowed(node, kind)
            case ast.AugAssign(target=ast.Name(id=name), op=ast.Add(), value=value) if not site.flow.decides(value):
                total = ast.BinOp(ast.Name(name, ast.Load()), ast.Add(), value)
                yield ast.Assign([ast.Name(name, ast.Store())], _narrowed(total, kind))


def _narrowed(value: ast.expr, kind: str) -> ast.expr:
    for dtype in (kind, "float32"):
        value = ast.Call(ast.Attribute(value, "to", ast.Load()), [ast.parse(f"tl.{dtype}", mode="eval").body], [])
    return value


def _terms(site: _Site) -> Iterator[ast.AST]:
    """One of two operands alone."""
    match site.node:
        case ast.BinOp(op=ast.Add() | ast.Mult(), left=left, right=right):
            yield left
            if not (isinstance(left, ast.Name) and left.id.endswith("_ptr")):
                yield right
        case ast.BinOp(op=ast.Sub() | ast.Div(), left=left):
            yield left


def _swapped(site: _Site) -> Iterator[ast.AST]:
    """Arguments in the other order."""
    node = site.node
    match node:
        case ast.BinOp(op=ast.Sub() | ast.Div(), left=left, right=right):
            yield _with(node, left=right, right=left)
        case ast.Call(args=[condition, first, second]) if _callee(node)[0] == "where":
            yield _with(node, args=[condition, second, first])
        case ast.Call(func=ast.Name(id=name), args=[first, second, *rest]) if name not in _BUILTINS:
            if not isinstance(second, ast.Constant):
                yield _with(node, args=[second, first, *rest])


def _stores(site: _Site) -> Iterator[ast.AST]:
    """Nothing stored."""
    match site.node:
        case ast.Expr(value=ast.Call() as call) if _callee(call)[0] in _WRITES:
            yield ast.Pass()


def _axes(site: _Site) -> Iterator[ast.AST]:
    """Another axis of the grid, and its next program."""
    match site.node:
        case ast.Call(args=[ast.Constant(value=int(axis))]) if _callee(site.node)[0] == "program_id":
            yield _with(site.node, args=[ast.Constant(0 if axis else 1)])
            yield ast.BinOp(site.node, ast.Add(), ast.Constant(1))


def _grids(call: ast.Call) -> Iterator[tuple[ast.expr, ast.AST]]:
    """Fewer programs, or axes swapped. One more is no fault where accesses are masked, so it is not tried."""
    assert isinstance(call.func, ast.Subscript)
    grid = call.func.slice
    if isinstance(grid, ast.Tuple):
        yield from ((size, ast.BinOp(size, ast.Sub(), ast.Constant(1))) for size in grid.elts)
        if len(grid.elts) > 1:
            yield grid, ast.Tuple([grid.elts[1], grid.elts[0], *grid.elts[2:]], ast.Load())


def _launch_arguments(call: ast.Call) -> Iterator[tuple[ast.expr, ast.AST]]:
    """Neighbouring arguments of a launch swapped."""
    for place, (first, second) in enumerate(itertools.pairwise(call.args)):
        if isinstance(first, ast.Name) and isinstance(second, ast.Name):
            args = [*call.args[:place], second, first, *call.args[place + 2 :]]
            yield call, _with(call, args=args)


#: Kind of change -> what it makes of a place in a kernel, or of a launch in host code.
KERNEL_CHANGES: Mapping[str, Callable[[_Site], Iterator[ast.AST]]] = {
    "mask": _masks,
    "bound": _bounds,
    "stride": _strides,
    "operator": _operators,
    "constant": _constants,
    "accumulate": _accumulators,
    "term": _terms,
    "arguments": _swapped,
    "store": _stores,
    "axis": _axes,
}
LAUNCH_CHANGES: Mapping[str, Callable[[ast.Call], Iterator[tuple[ast.expr, ast.AST]]]] = {
    "grid": _grids,
    "arguments": _launch_arguments,
}


@dataclass(frozen=True)
class _Candidate:
    """A change that has not been checked: `symbol` None means host code, `source` is the whole changed text."""

    kind: str
    symbol: str | None
    line: int
    source: str
    description: str
    probes: tuple[str, ...] = ()
    before: int = 0


def mutants(module: KernelModule, limit: int | None = None, seed: int = 0) -> tuple[Mutant, ...]:
    """Mutants that are in the dialect, in the order of the text; the same for the same arguments.

    With a limit, a sample spread evenly over kinds and, within each, over lines. Raises UserError for a module
    without kernels.
    """
    if module.launcher is None:
        raise UserError(f"@{module.name} has no kernels yet; lower it first")
    candidates = list(_candidates(module))
    order = range(len(candidates)) if limit is None else _spread(candidates, seed)
    found: dict[int, Mutant] = {}
    for place in order:
        if limit is not None and len(found) == limit:
            break
        mutant = _mutant(module, candidates[place])
        if not verify(mutant.module):
            found[place] = mutant
    return tuple(found[place] for place in sorted(found))


def _mutant(module: KernelModule, one: _Candidate) -> Mutant:
    assert module.launcher is not None
    if one.symbol is None:
        changed = replace(module, launcher=replace(module.launcher, source=one.source))
    else:
        kernels = tuple(replace(k, source=one.source) if k.symbol == one.symbol else k for k in module.kernels)
        changed = replace(module, kernels=kernels)
    place = one.symbol or module.launcher.entry
    return Mutant(changed, one.kind, place, one.line, one.description, one.probes, one.before)


def _spread(candidates: Sequence[_Candidate], seed: int) -> list[int]:
    """Places of all candidates: kinds take turns, and within a kind lines do."""
    lines: dict[str, dict[tuple[str | None, int], list[int]]] = {}
    for place, one in enumerate(candidates):
        lines.setdefault(one.kind, {}).setdefault((one.symbol, one.line), []).append(place)
    chance = random.Random(seed)
    turns = []
    for kind in lines.values():
        rows = list(kind.values())
        chance.shuffle(rows)
        for row in rows:
            chance.shuffle(row)
        turns.append(_alternating(rows))
    return _alternating(turns)


def _alternating(rows: Sequence[Sequence[int]]) -> list[int]:
    """One of each row, then the next of each, until all are used."""
    return [place for turn in itertools.zip_longest(*rows) for place in turn if place is not None]


def _candidates(module: KernelModule) -> Iterator[_Candidate]:
    """Every change of kernels that are used, then of the launches; no text twice."""
    assert module.launcher is not None
    direct = launched(module)
    used = {kernel.symbol for symbol in direct for kernel in needed_kernels(module, symbol)}
    names = {part.id for text in module.constants for part in ast.walk(ast.parse(text)) if isinstance(part, ast.Name)}
    known = frozenset(names | _BUILTINS | {"tl", "triton", "math"})
    seen = {kernel.source for kernel in module.kernels} | {module.launcher.source}
    for kernel in module.kernels:
        if kernel.symbol in used:
            for one in _in_kernel(kernel.symbol, kernel.source, kernel.symbol in direct, known):
                if one.source not in seen:
                    seen.add(one.source)
                    yield one
    for one in _in_host(module.launcher.source, frozenset(direct)):
        if one.source not in seen:
            seen.add(one.source)
            yield one


def _in_kernel(symbol: str, source: str, from_host: bool, known: frozenset[str]) -> Iterator[_Candidate]:
    function = ast.parse(source).body[0]
    assert isinstance(function, ast.FunctionDef)
    flow = _flow(function, from_host, known)
    for site in _sites(function.body, flow):
        for kind, change in KERNEL_CHANGES.items():
            for new in change(site):
                probes = _probes(site, new) if from_host and flow.steady else ()
                description, text = _described(site.node, new)
                line = getattr(site.node, "lineno", site.statement.lineno)
                changed = _spliced(source, site.node, text)
                yield _Candidate(kind, symbol, line, changed, description, probes, site.statement.lineno)


def _in_host(source: str, symbols: frozenset[str]) -> Iterator[_Candidate]:
    calls = [
        node
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Subscript)
        and isinstance(node.func.value, ast.Name)
        and node.func.value.id in symbols
    ]
    for call in sorted(calls, key=lambda node: (node.lineno, node.col_offset)):
        for kind, change in LAUNCH_CHANGES.items():
            for old, new in change(call):
                description, text = _described(old, new)
                yield _Candidate(kind, None, old.lineno, _spliced(source, old, text), description)


def _described(old: ast.AST, new: ast.AST) -> tuple[str, str]:
    """What changed, for people, and the new text as it goes into the source."""
    before, after = ("".join(_text(node).split("\n")) for node in (old, new))
    whole = isinstance(new, ast.stmt | ast.Name | ast.Call | ast.Constant)
    return f"`{before}` -> `{after}`", after if whole else f"({after})"


def _spliced(source: str, node: ast.AST, text: str) -> str:
    """The source with a node's text replaced. Columns are bytes of UTF-8."""
    assert isinstance(node, ast.expr | ast.stmt)
    assert node.end_lineno is not None and node.end_col_offset is not None
    lines = [line.encode() for line in source.split("\n")]
    head = b"\n".join([*lines[: node.lineno - 1], lines[node.lineno - 1][: node.col_offset]])
    tail = b"\n".join([lines[node.end_lineno - 1][node.end_col_offset :], *lines[node.end_lineno :]])
    return head.decode() + text + tail.decode()


def _probes(site: _Site, new: ast.AST) -> tuple[str, ...]:
    """Conditions of which each, if true on every lane of every program, proves the change harmless: all are decided
    by the launch alone, so that one run tells. Old and new value are the same integers; or the change is in what a
    load puts outside its mask and nothing is outside, or in the branch of a `where` that is never taken."""
    if not isinstance(site.node, ast.expr) or isinstance(site.statement, ast.While):
        return ()
    probes = []
    decides, node = site.flow.decides, site.node
    if isinstance(new, ast.expr) and decides(node) and decides(new):
        probes.append(f"(({_text(node)}) ^ ({_text(new)})) == 0")
    if isinstance(node, ast.Call) and isinstance(new, ast.Call) and _callee(node)[0] in ("load", "store"):
        mask = _mask(node)
        if mask is not None and decides(mask) and _address(node) == _address(new):
            probes.append(f"{_text(mask)}")
    inner: ast.AST = node
    for outer in (node, *site.around):
        if isinstance(outer, ast.Call) and _callee(outer)[0] == "where" and len(outer.args) == 3:
            condition, first, second = outer.args
            if decides(condition) and (inner is second or new is first):
                probes.append(_text(condition))
            elif decides(condition) and inner is first:
                probes.append(f"({_text(condition)}) == 0")
        inner = outer
    return tuple(probes)


def _mask(call: ast.Call) -> ast.expr | None:
    place = 1 if _callee(call)[0] == "load" else 2
    named = [keyword.value for keyword in call.keywords if keyword.arg == "mask"]
    return named[0] if named else call.args[place] if len(call.args) > place else None


def _address(call: ast.Call) -> list[str]:
    """A load's address, or a store's address and value."""
    return [_text(argument) for argument in call.args[: 1 if _callee(call)[0] == "load" else 2]]


class Fate(StrEnum):
    """What became of a mutant. `equivalent` is proven. Of many draws, none told a `probably_equivalent` one from the
    original, and on none did a `within_rounding` one differ by more than what is never held against a candidate
    (`correctness.FLOORS`). `invalid` ones do not compile, or use what the evaluator does not support."""

    KILLED = "killed"
    SURVIVED = "survived"
    EQUIVALENT = "equivalent"
    PROBABLY_EQUIVALENT = "probably_equivalent"
    WITHIN_ROUNDING = "within_rounding"
    INVALID = "invalid"


@dataclass(frozen=True)
class Finding:
    """One mutant's fate. `detail` is the verdict for a killed one and the evidence for others: for a survivor, the
    kinds of draws that reveal it."""

    kind: str
    kernel: str
    line: int
    description: str
    fate: Fate
    detail: str


@dataclass(frozen=True)
class MutationReport:
    """What an evaluator's checks are worth on one module, mutant by mutant."""

    findings: tuple[Finding, ...]

    def of(self, fate: Fate) -> tuple[Finding, ...]:
        """The findings of one fate."""
        return tuple(finding for finding in self.findings if finding.fate is fate)

    @property
    def killed(self) -> int:
        """How many mutants were killed."""
        return len(self.of(Fate.KILLED))

    @property
    def survived(self) -> tuple[Finding, ...]:
        """Mutants that passed although some draw reveals them."""
        return self.of(Fate.SURVIVED)

    @property
    def equivalent(self) -> tuple[Finding, ...]:
        """Mutants proven to be the original."""
        return self.of(Fate.EQUIVALENT)

    @property
    def probably_equivalent(self) -> tuple[Finding, ...]:
        """Mutants that no draw told from the original."""
        return self.of(Fate.PROBABLY_EQUIVALENT)

    @property
    def within_rounding(self) -> tuple[Finding, ...]:
        """Mutants that no draw told from the original by more than rounding."""
        return self.of(Fate.WITHIN_ROUNDING)

    @property
    def score(self) -> float:
        """Killed among killed and survived; NaN without any."""
        return _share(self.killed, len(self.survived))

    @property
    def strict_score(self) -> float:
        """The same with those probably equivalent or within rounding counted as survivors too: a lower bound."""
        return _share(self.killed, len(self.survived + self.probably_equivalent + self.within_rounding))

    def by_kind(self) -> dict[str, dict[str, int]]:
        """Kind of change -> fate -> count."""
        counts: dict[str, Counter[str]] = {}
        for finding in self.findings:
            counts.setdefault(finding.kind, Counter())[str(finding.fate)] += 1
        return {kind: dict(count) for kind, count in sorted(counts.items())}


def _share(killed: int, passed: int) -> float:
    return killed / (killed + passed) if killed + passed else math.nan


def mutation_score(
    module: KernelModule,
    evaluator: Evaluator,
    limit: int | None = None,
    rungs: tuple[Rung, ...] | None = None,
    seed: int = 0,
) -> MutationReport:
    """Judge a module's mutants (a sample of `limit`). Raises UserError where the module itself does not pass."""
    examiner = Examiner(module, evaluator, rungs)
    return MutationReport(tuple(examiner.judge(mutant) for mutant in mutants(module, limit, seed)))


_INVALID = (Status.COMPILE_ERROR, Status.UNPARSED, Status.UNSUPPORTED)


class Examiner:
    """Finds each mutant's fate, with what it takes for that kept between mutants of one module.

    `target` is what equivalent code is looked for on. Not for use from several threads.
    """

    def __init__(
        self, module: KernelModule, evaluator: Evaluator, rungs: tuple[Rung, ...] | None = None, target: str = "h100"
    ) -> None:
        self.module, self.evaluator, self.rungs, self.target = module, evaluator, rungs, target
        verdict = evaluator.evaluate(module, rungs)
        if not verdict.ok:
            raise UserError(f"@{module.name} is itself not accepted, so its mutants say nothing: {verdict}")

    def judge(self, mutant: Mutant) -> Finding:
        """One mutant's fate."""
        verdict = self.evaluator.evaluate(mutant.module, self.rungs)
        if verdict.ok:
            fate, detail = self._passed(mutant)
        else:
            fate, detail = Fate.INVALID if verdict.status in _INVALID else Fate.KILLED, str(verdict)[:300]
        return Finding(mutant.kind, mutant.kernel, mutant.line, mutant.description, fate, detail)

    def _passed(self, mutant: Mutant) -> tuple[Fate, str]:
        """Equivalent or survivor: first proofs, then draws."""
        if any(self._holds(mutant, probe) for probe in mutant.probes):
            return Fate.EQUIVALENT, "the change has no effect on any lane of any program of this launch"
        same_host = mutant.module.launcher == self.module.launcher  # else code says nothing about what it is given
        if same_host and self._code is not None and _code(mutant.module, self.target) == self._code:
            return Fate.EQUIVALENT, f"compiles to the same code for {self.target}"
        differences: dict[str, float] = {}
        for draw in self._draws:
            difference = _difference(draw.outputs, _run(mutant.module, draw))
            differences[draw.name] = max(difference, differences.get(draw.name, 0.0))
        among = f"{len(self._draws)} draws of {len(differences)} kinds"
        worst = max(differences.values(), default=0.0)
        if worst == 0:
            return Fate.PROBABLY_EQUIVALENT, f"same outputs on {among}"
        if worst <= 1:
            return Fate.WITHIN_ROUNDING, f"on {among} at most {worst:.2g} of the floor apart"
        revealing = sorted((-amount, name) for name, amount in differences.items() if amount > 1)
        return Fate.SURVIVED, "revealed by " + "; ".join(f"{name} ({-amount:.2g})" for amount, name in revealing)

    def _holds(self, mutant: Mutant, probe: str) -> bool:
        """Whether a condition holds on every lane of every program: the module is run with a line that fails where
        it does not."""
        kernel = self.module.kernel(mutant.kernel)
        lines = kernel.source.split("\n")
        indent = re.match(r"\s*", lines[mutant.before - 1])
        assert indent is not None
        one = "tl.full([1], 1, tl.int32)"
        check = f"{indent[0]}if tl.min(tl.ravel({one} * ({probe}))) == 0: the_change_has_an_effect()"
        source = "\n".join([*lines[: mutant.before - 1], check, *lines[mutant.before - 1 :]])
        kernels = tuple(replace(k, source=source) if k is kernel else k for k in self.module.kernels)
        given = next(_draws(self.module))
        return not isinstance(_run(replace(self.module, kernels=kernels), given), str)

    @cached_property
    def _code(self) -> dict[str, str] | None:
        return _code(self.module, self.target)

    @cached_property
    def _draws(self) -> "tuple[_Draw, ...]":
        """Draws on which the module itself runs, with its outputs."""
        run = (replace(draw, outputs=_run(self.module, draw)) for draw in _draws(self.module))
        return tuple(draw for draw in run if not isinstance(draw.outputs, str))


_DEBUG = re.compile(r"\s*(\.loc|\.file|\$L__tmp|\$L__func)")


def _code(module: KernelModule, target: str) -> dict[str, str] | None:
    """Each kernel's PTX without debug information: equal wherever TTIR is, and more often. None where it does not
    compile, or host code reads tensors."""
    try:
        compiled = compile_module(module, get_target(target))
    except KernelwrightError:
        return None
    return {symbol: _bare(kernel.ptx) for symbol, kernel in compiled.items()}


def _bare(ptx: str) -> str:
    kept = [line for line in ptx.split("\t.section")[0].splitlines() if not _DEBUG.match(line)]
    return "\n".join(line.split("//")[0].rstrip() for line in kept)


#: Draws with inputs and weights as the reference makes them, before the others.
GIVEN_DRAWS = 12

_FROM_THE_END = "indices from the end"

_Outcome = Sequence[Tensor] | str


@dataclass(frozen=True)
class _Draw:
    """Inputs and state to compare a mutant with its module on, and what the module made of them (a text: failed)."""

    name: str
    seed: int
    inputs: tuple[Value, ...]
    state: Mapping[str, Tensor]
    outputs: _Outcome = ()


def _normal(like: Tensor, scale: float = 1.0) -> Tensor:
    return torch.randn(like.shape, dtype=torch.float64) * scale


def _sprinkled(values: Tensor, *specials: float) -> Tensor:
    """Every fourth element or so replaced by one of the specials."""
    chosen = torch.tensor(specials, dtype=torch.float64)[torch.randint(len(specials), values.shape)]
    return torch.where(torch.rand(values.shape) < 0.25, chosen, values)


#: Kinds of draws: what becomes of floating values, given in fp64. The seed is set before.
VARIATIONS: Mapping[str, Callable[[Tensor], Tensor]] = {
    "normal": _normal,
    "negated": lambda v: -v,
    "scaled by 1e-2": lambda v: v * 1e-2,
    "scaled by 1e-4": lambda v: v * 1e-4,
    "scaled by 1e2": lambda v: v * 1e2,
    "shifted by 10": lambda v: v + 10,
    "shifted by -10": lambda v: v - 10,
    "shifted by 200": lambda v: v + 200,
    "shifted by -200": lambda v: v - 200,
    "nearly constant": lambda v: 3 + _normal(v, 1e-4),
    "tiny and nearly constant": lambda v: 1e-2 + _normal(v, 1e-3),
    "ones": torch.ones_like,
    "zeros": torch.zeros_like,
    "small integers": lambda v: torch.randint(-4, 5, v.shape).double(),
    "sixteenths": lambda v: torch.round(_normal(v) * 16) / 16,
    "wide": lambda v: _normal(v) * torch.pow(10.0, torch.empty_like(v).uniform_(-6, 3)),
    "special finite": lambda v: _sprinkled(
        v, 0.0, -0.0, 1.0, -1.0, 0.5, -0.5, 3.0, -3.0, 6.0, 20.0, 1e-30, 80.0, -80.0
    ),
    "infinite": lambda v: _sprinkled(v, math.inf, -math.inf),
    "NaN": lambda v: _sprinkled(v, math.nan),
}


def _draws(module: KernelModule) -> Iterator[_Draw]:
    """Draws as given; then each variation of the floating inputs, once with weights as given and once with others and
    every second boolean another; at last, integers counted from the end where the reference takes them so, as
    indices. Other integers stay as given."""
    program = ReferenceProgram.load(module.reference)
    names = ["given"] * GIVEN_DRAWS + [name for name in VARIATIONS for _ in range(2)] + [_FROM_THE_END]
    for seed, name in enumerate(names):
        with torch.random.fork_rng(devices=[]):
            model = program.build(seed)
            inputs, state = program.inputs(seed), program.state(model)
            torch.manual_seed(seed)
            other = name in VARIATIONS and seed % 2 == 1
            if name in VARIATIONS:
                inputs = [_changed(value, VARIATIONS[name]) for value in inputs]
            if other:
                inputs = [_flipped(value) for value in inputs]
                state = {key: _changed_tensor(value, _other_weights) for key, value in state.items()}
            if name == _FROM_THE_END:
                inputs = [_from_the_end(value) for value in inputs]
                if not _takes(program, model, inputs):
                    continue
        yield _Draw(f"{name}, other weights" if other else name, seed, tuple(inputs), state)


def _from_the_end(value: Value) -> Value:
    integer = isinstance(value, Tensor) and not value.is_floating_point() and value.dtype != torch.bool
    return -1 - value if integer else value  # type: ignore[operator]


def _takes(program: ReferenceProgram, model: torch.nn.Module, inputs: Sequence[Value]) -> bool:
    try:
        program.run(model, inputs)
    except (RuntimeError, ValueError, IndexError, TypeError):
        return False
    return True


def _flipped(value: Value) -> Value:
    """Booleans, every second one another; other values as they are."""
    if isinstance(value, Tensor) and value.dtype == torch.bool:
        return value ^ (torch.rand(value.shape) < 0.5)
    return value


def _changed(value: Value, variation: Callable[[Tensor], Tensor]) -> Value:
    return _changed_tensor(value, variation) if isinstance(value, Tensor) else value


def _changed_tensor(value: Tensor, variation: Callable[[Tensor], Tensor]) -> Tensor:
    if not value.is_floating_point() or not value.numel():
        return value
    return copy_of(value).copy_(variation(value.detach().double()))


def _other_weights(value: Tensor) -> Tensor:
    """Weights that are no longer all ones or zeros; what was never negative (a variance, say) stays so."""
    if not bool(value.any()):
        return _normal(value, 0.5)
    spread = value * torch.empty_like(value).uniform_(0.5, 1.5)
    return spread if bool((value >= 0).all()) else spread + 0.1 * _normal(value)


def _run(module: KernelModule, draw: _Draw) -> _Outcome:
    """Outputs and then inputs and state as the module leaves them, or the name of what it failed with."""
    inputs = [copy_of(value) if isinstance(value, Tensor) else value for value in draw.inputs]
    state = {name: copy_of(value) for name, value in draw.state.items()}
    try:
        outputs = load_module(module, InterpreterRuntime(), draw.seed)(inputs, state)
    except (KernelwrightError, ArithmeticError, LookupError, RuntimeError, TypeError, ValueError) as error:
        return type(error).__name__
    return [*outputs, *(value for value in [*inputs, *state.values()] if isinstance(value, Tensor))]


def _difference(wanted: _Outcome, got: _Outcome) -> float:
    """The largest error of any output in units of its dtype's floor, both zeros alike; infinite for a difference in
    kind: of type, of an integer, of where NaN or infinity is, or where there are no outputs."""
    if isinstance(wanted, str) or isinstance(got, str) or len(wanted) != len(got):
        return math.inf
    return max((_distance(*pair) for pair in zip(wanted, got, strict=True)), default=0.0)


def _distance(wanted: Tensor, got: Tensor) -> float:
    if wanted.shape != got.shape or wanted.dtype != got.dtype:
        return math.inf
    if torch.equal(wanted, got):
        return 0.0
    if not wanted.is_floating_point():
        return math.inf
    first, second = wanted.double(), got.double()
    plain = first.isfinite() & second.isfinite()
    if not bool((plain | (first == second) | (first.isnan() & second.isnan())).all()):
        return math.inf
    first, second = first[plain], second[plain]
    if torch.equal(first, second):
        return 0.0
    scale = float(first.square().mean().sqrt()) or math.ulp(0.0)
    rms = float((first - second).square().mean().sqrt()) / scale
    peak = float(((first - second).abs() / (scale + first.abs())).max())
    return max(rms, peak) / FLOORS[SHORT_DTYPES[wanted.dtype]]
