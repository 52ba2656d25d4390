"""What can go wrong at one place: every kind of change, as what it puts there instead."""

import ast
import copy
import itertools
from collections.abc import Callable, Iterator, Mapping
from typing import TypeVar

from kernelwright.evaluation.mutation.places import BUILTINS, WRITES, Site, callee, text_of

_Node = TypeVar("_Node", bound=ast.AST)
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


def _number(value: float) -> ast.expr:
    return ast.Constant(value) if value >= 0 else ast.UnaryOp(ast.USub(), ast.Constant(-value))


def _shifted(node: ast.expr, by: int) -> ast.expr:
    """`node + by`, folded where both are numbers."""
    if isinstance(node, ast.Constant) and isinstance(node.value, int):
        return _number(node.value + by)
    return ast.BinOp(node, ast.Add() if by > 0 else ast.Sub(), ast.Constant(abs(by)))


def _with(node: _Node, **fields: object) -> _Node:
    """A copy with other fields; the rest is shared."""
    changed = copy.copy(node)
    for name, value in fields.items():
        setattr(changed, name, value)
    return changed


def _masks(site: Site) -> Iterator[ast.AST]:
    """Masks dropped, halved, off by one; lanes outside filled with something else."""
    node = site.node
    match node:
        case ast.Call(args=args, keywords=keywords) if (name := callee(node)[0]) in ("load", "store"):
            place = 1 if name == "load" else 2
            named = {keyword.arg: keyword.value for keyword in keywords}
            if len(args) > place or "mask" in named:
                rest = [keyword for keyword in keywords if keyword.arg not in ("mask", "other")]
                yield _with(node, args=args[:place], keywords=rest)
            if "other" in named:
                other = ast.Constant(1.0 if text_of(named["other"]) in ("0", "0.0") else 0.0)
                yield _with(node, keywords=[_with(k, value=other) if k.arg == "other" else k for k in keywords])
        case ast.Call(args=[condition, value, _]) if callee(node)[0] == "where" and site.flow.decides(condition):
            yield value
        case ast.BinOp(op=ast.BitAnd(), left=left, right=right) if site.fixed:
            yield left
            yield right
        case ast.Compare(left=left, ops=[ast.Lt() | ast.LtE() | ast.Gt() | ast.GtE()], comparators=[limit]):
            if site.fixed:
                yield _with(node, comparators=[_shifted(limit, 1)])
                yield _with(node, comparators=[_shifted(limit, -1)])


def _bounds(site: Site) -> Iterator[ast.AST]:
    """Loops that make one turn more or less."""
    match site.node:
        case ast.Call(args=args) if callee(site.node)[0] in ("range", "static_range") and args:
            start, stop = (ast.Constant(0), args[0]) if len(args) == 1 else (args[0], args[1])
            step = args[2:3]
            turn = step[0] if step else ast.Constant(1)
            yield _with(site.node, args=[start, ast.BinOp(stop, ast.Sub(), turn), *step])
            yield _with(site.node, args=[start, ast.BinOp(stop, ast.Add(), turn), *step])
            yield _with(site.node, args=[ast.BinOp(start, ast.Add(), turn), stop, *step])


def _strides(site: Site) -> Iterator[ast.AST]:
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


def _operators(site: Site) -> Iterator[ast.AST]:
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
            name, method = callee(node)
            if name in _FUNCTIONS and isinstance(func, ast.Attribute):
                yield _with(node, func=_with(func, attr=_FUNCTIONS[name]))
            elif name == "abs" and (args or method):
                yield args[0] if args else method  # type: ignore[misc]


def _constants(site: Site) -> Iterator[ast.AST]:
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


def _accumulators(site: Site) -> Iterator[ast.AST]:
    """Sums kept in 16 bits."""
    node = site.node
    if "tl.int" in text_of(site.statement):
        return
    for kind in ("float16", "bfloat16"):
        match node:
            case ast.Call() if callee(node)[0] in ("sum", "dot", "cumsum"):
                yield _narrowed(node, kind)
            case ast.AugAssign(target=ast.Name(id=name), op=ast.Add(), value=value) if not site.flow.decides(value):
                total = ast.BinOp(ast.Name(name, ast.Load()), ast.Add(), value)
                yield ast.Assign([ast.Name(name, ast.Store())], _narrowed(total, kind))


def _narrowed(value: ast.expr, kind: str) -> ast.expr:
    for dtype in (kind, "float32"):
        value = ast.Call(ast.Attribute(value, "to", ast.Load()), [ast.parse(f"tl.{dtype}", mode="eval").body], [])
    return value


def _terms(site: Site) -> Iterator[ast.AST]:
    """One of two operands alone."""
    match site.node:
        case ast.BinOp(op=ast.Add() | ast.Mult(), left=left, right=right):
            yield left
            if not (isinstance(left, ast.Name) and left.id.endswith("_ptr")):
                yield right
        case ast.BinOp(op=ast.Sub() | ast.Div(), left=left):
            yield left


def _swapped(site: Site) -> Iterator[ast.AST]:
    """Arguments in the other order."""
    node = site.node
    match node:
        case ast.BinOp(op=ast.Sub() | ast.Div(), left=left, right=right):
            yield _with(node, left=right, right=left)
        case ast.Call(args=[condition, first, second]) if callee(node)[0] == "where":
            yield _with(node, args=[condition, second, first])
        case ast.Call(func=ast.Name(id=name), args=[first, second, *rest]) if name not in BUILTINS:
            if not isinstance(second, ast.Constant):
                yield _with(node, args=[second, first, *rest])


def _stores(site: Site) -> Iterator[ast.AST]:
    """Nothing stored."""
    match site.node:
        case ast.Expr(value=ast.Call() as call) if callee(call)[0] in WRITES:
            yield ast.Pass()


def _axes(site: Site) -> Iterator[ast.AST]:
    """Another axis of the grid, and its next program."""
    match site.node:
        case ast.Call(args=[ast.Constant(value=int(axis))]) if callee(site.node)[0] == "program_id":
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
KERNEL_CHANGES: Mapping[str, Callable[[Site], Iterator[ast.AST]]] = {
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
