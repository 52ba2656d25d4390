"""Kernels spelt otherwise, by a seed: what they compute stays, how they say it changes.

Every change is one that a person could make without thinking: other names, temporaries written in place or taken out,
sides swapped, independent lines in another order, `[None, :]` as `tl.expand_dims`, index sums in other parentheses,
bounds of masks as `<=`, a `range` as a counting `while`, an expression moved into a helper.
"""

import ast
import copy
import re
from dataclasses import replace
from random import Random

from kernelwright.ir.dialect.checker import all_arguments, bound_names, dotted, is_constexpr
from kernelwright.ir.values import Kernel, KernelModule

_SWAPPED = {ast.Lt: ast.Gt, ast.Gt: ast.Lt, ast.LtE: ast.GtE, ast.GtE: ast.LtE}
#: Functions that certainly give tensors and do nothing else.
_PURE = frozenset("arange load program_id exp log sqrt rsqrt where sum max broadcast_to maximum minimum abs".split())


def respelt_module(module: KernelModule, seed: int, *, exact: bool = False) -> KernelModule:
    """The module with every kernel spelt otherwise, and the helpers that they then call."""
    kernels: list[Kernel] = []
    for kernel in module.kernels:
        text, helpers = respelt(kernel.source, seed, exact=exact)
        kernels += [Kernel(re.findall(r"def (\w+)", helper)[0], helper) for helper in helpers]
        kernels.append(replace(kernel, source=text))
    return replace(module, kernels=tuple(kernels))


def respelt(source: str, seed: int, *, exact: bool = False) -> tuple[str, tuple[str, ...]]:
    """The text of a `@triton.jit` function spelt otherwise, and the texts of helpers that it then calls.

    `exact`: only names, temporaries and helpers change, and no load moves, so that Triton's own IR stays what it is.
    """
    tree = ast.parse(source)
    function = tree.body[0]
    assert isinstance(function, ast.FunctionDef)
    work = _Respelling(function, Random(seed), loads=not exact)
    changes = [work.helpers, work.temporaries, work.loops, work.order, work.expressions, work.names]
    for change in (work.helpers, work.temporaries, work.names) if exact else changes:
        change()
    ast.fix_missing_locations(tree)
    return ast.unparse(function), tuple(work.made)


class _Respelling:
    def __init__(self, function: ast.FunctionDef, random: Random, *, loads: bool) -> None:
        self.function, self.random, self.loads = function, random, loads
        self.made: list[str] = []
        arguments = all_arguments(function.args)
        self.parameters = {argument.arg for argument in arguments}
        self.constants = {argument.arg for argument in arguments if is_constexpr(argument.annotation)}
        self.count = 0
        #: Nodes of loops that count by themselves.
        self.counted: set[int] = set()

    def fresh(self, stem: str) -> str:
        self.count += 1
        return f"{stem}{self.count}"

    def blocks(self) -> list[list[ast.stmt]]:
        """Every list of statements, outer ones first."""
        found: list[list[ast.stmt]] = [self.function.body]
        for block in found:
            for statement in block:
                found += [body for key in ("body", "orelse") if (body := getattr(statement, key, []))]
        return found

    def names(self) -> None:
        """Other names for locals."""
        body = ast.Module(self.function.body, [])
        local = sorted(bound_names(body) - self.parameters)
        self.random.shuffle(local)
        renamed = {name: f"v{index}" for index, name in enumerate(local)}
        for node in ast.walk(body):
            if isinstance(node, ast.Name):
                node.id = renamed.get(node.id, node.id)

    def temporaries(self) -> None:
        """Some names that are used once are written in place, some parts of expressions get a name."""
        for block in self.blocks():
            index = 0
            while index < len(block) - 1:
                if self.random.random() < 0.5 and self._written_in_place(block, index):
                    continue
                index += 1
            for index in reversed(range(len(block))):
                if isinstance(block[index], ast.Assign | ast.Expr) and self.random.random() < 0.5:
                    self._taken_out(block, index)

    def _written_in_place(self, block: list[ast.stmt], index: int) -> bool:
        one, following = block[index], block[index + 1]
        if not isinstance(one, ast.Assign) or not isinstance(one.targets[0], ast.Name):
            return False
        if not isinstance(following, ast.Assign | ast.Expr) or not self._may_move(one.value):
            return False
        name = one.targets[0].id
        uses = [n for n in ast.walk(self.function) if isinstance(n, ast.Name) and n.id == name]
        inside = [n for n in ast.walk(following) if isinstance(n, ast.Name) and n.id == name]
        if len(uses) != 2 or len(inside) != 1 or not isinstance(inside[0].ctx, ast.Load):
            return False
        if any(isinstance(node, ast.IfExp | ast.BoolOp) for node in ast.walk(following)):
            return False
        _replace(following, inside[0], one.value)
        del block[index]
        return True

    def _taken_out(self, block: list[ast.stmt], index: int) -> None:
        statement = block[index]
        if any(isinstance(node, ast.IfExp | ast.BoolOp) for node in ast.walk(statement)):
            return
        whole = getattr(statement, "value", None)
        parts = [
            n
            for n in ast.walk(statement)
            if isinstance(n, ast.BinOp | ast.Call) and n is not whole and self._may_move(n)
        ]
        if parts:
            part = self.random.choice(parts)
            name = self.fresh("part")
            _replace(statement, part, ast.Name(name, ast.Load()))
            block.insert(index, ast.Assign([ast.Name(name, ast.Store())], part, lineno=0))

    def _may_move(self, node: ast.expr) -> bool:
        loads = any(isinstance(n, ast.Call) and dotted(n.func)[-1:] == ("load",) for n in ast.walk(node))
        return _is_tensor(node) and (self.loads or not loads)

    def order(self) -> None:
        """Neighbours that do not depend on one another change places."""
        for block in self.blocks():
            for index in range(len(block) - 1):
                one, other = block[index : index + 2]
                if self.random.random() < 0.5 and _independent(one, other):
                    block[index], block[index + 1] = other, one

    def expressions(self) -> None:
        """Sides, new axes and parentheses."""
        work = _Expressions(self.random, self.parameters - self.constants, _indices(self.function))
        self.function.body = [work.visit(statement) for statement in self.function.body]

    def loops(self) -> None:
        """A `range` without options as a `while` that counts."""
        for block in self.blocks():
            for index in reversed(range(len(block))):
                loop = block[index]
                if isinstance(loop, ast.For) and self.random.random() < 0.7 and self._counts(loop):
                    made = self._as_while(loop)
                    self.counted |= {id(n) for statement in made for n in ast.walk(statement)}
                    block[index : index + 1] = made

    def _counts(self, loop: ast.For) -> bool:
        assert isinstance(loop.iter, ast.Call)
        plain = dotted(loop.iter.func) in (("range",), ("tl", "range")) and not loop.iter.keywords
        assert isinstance(loop.target, ast.Name)
        name = loop.target.id
        loops = [n for n in ast.walk(self.function) if isinstance(n, ast.For) and ast.unparse(n.target) == name]
        inside = {id(n) for loop in loops for n in ast.walk(loop)}
        uses = [n for n in ast.walk(self.function) if isinstance(n, ast.Name) and n.id == name]
        return plain and all(id(n) in inside or id(n) in self.counted for n in uses)

    def _as_while(self, loop: ast.For) -> list[ast.stmt]:
        assert isinstance(loop.iter, ast.Call) and isinstance(loop.target, ast.Name)
        bounds = list(loop.iter.args)
        if len(bounds) == 1:
            bounds.insert(0, ast.Constant(0))
        step = bounds[2] if len(bounds) == 3 else ast.Constant(1)
        name = loop.target.id
        start = ast.Assign([ast.Name(name, ast.Store())], bounds[0], lineno=0)
        before = ast.Gt() if isinstance(step, ast.UnaryOp) and isinstance(step.op, ast.USub) else ast.Lt()
        test = ast.Compare(ast.Name(name, ast.Load()), [before], [bounds[1]])
        return [start, ast.While(test, [*loop.body, ast.AugAssign(ast.Name(name, ast.Store()), ast.Add(), step)], [])]

    def helpers(self) -> None:
        """One expression moves into a `@triton.jit` function."""
        places = [
            (b, i) for b in self.blocks() for i, s in enumerate(b) if isinstance(s, ast.Assign) and _is_tensor(s.value)
        ]
        if not places or self.random.random() < 0.3:
            return
        block, index = self.random.choice(places)
        value = block[index].value  # type: ignore[attr-defined]
        local = bound_names(self.function)
        names = sorted({n.id for n in ast.walk(value) if isinstance(n, ast.Name)} & local)
        constants = self.constants | _annotated(self.function)
        symbol = self.fresh(f"{self.function.name}_part")
        taken = ", ".join(f"{name}: tl.constexpr" if name in constants else name for name in names)
        self.made.append(f"@triton.jit\ndef {symbol}({taken}):\n    return {ast.unparse(value)}")
        call = ast.Call(ast.Name(symbol, ast.Load()), [ast.Name(name, ast.Load()) for name in names], [])
        block[index].value = call  # type: ignore[attr-defined]


class _Expressions(ast.NodeTransformer):
    def __init__(self, random: Random, pointers: set[str], indices: set[str]) -> None:
        self.random, self.pointers, self.indices = random, pointers, indices

    def visit_BinOp(self, node: ast.BinOp) -> ast.AST:
        self.generic_visit(node)
        if isinstance(node.op, ast.Add) and self.random.random() < 0.5:
            left, right = node.left, node.right
            moved = isinstance(left, ast.Name) and left.id in self.pointers and left.id.endswith("_ptr")
            if moved and isinstance(right, ast.BinOp) and isinstance(right.op, ast.Add):
                return ast.BinOp(ast.BinOp(left, ast.Add(), right.left), ast.Add(), right.right)
        commutes = isinstance(node.op, ast.Add | ast.Mult | ast.BitAnd | ast.BitOr)
        if commutes and self.random.random() < 0.5:
            node.left, node.right = node.right, node.left
        return node

    def visit_Compare(self, node: ast.Compare) -> ast.AST:
        self.generic_visit(node)
        bound = node.comparators[0]
        below = len(node.ops) == 1 and isinstance(node.ops[0], ast.Lt) and _is_index(node.left, self.indices)
        if below and isinstance(bound, ast.Constant) and type(bound.value) is int and self.random.random() < 0.3:
            node = ast.Compare(node.left, [ast.LtE()], [ast.Constant(bound.value - 1)])
        swapped = _SWAPPED.get(type(node.ops[0]))
        if swapped is not None and len(node.ops) == 1 and self.random.random() < 0.5:
            return ast.Compare(node.comparators[0], [swapped()], [node.left])
        return node

    def visit_Subscript(self, node: ast.Subscript) -> ast.AST:
        self.generic_visit(node)
        parts = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
        added = [isinstance(part, ast.Constant) and part.value is None for part in parts]
        if added.count(True) == 1 and len(parts) == 2 and self.random.random() < 0.5:
            function = ast.Attribute(ast.Name("tl", ast.Load()), "expand_dims", ast.Load())
            return ast.Call(function, [node.value, ast.Constant(added.index(True))], [])
        return node

    def visit_While(self, node: ast.While) -> ast.AST:
        node.body = [self.visit(statement) for statement in node.body]
        return node


def _indices(function: ast.FunctionDef) -> set[str]:
    """Names that certainly are tensors of integers: all that is assigned to them is computed of positions alone."""
    stored = [n.id for n in ast.walk(function) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)]
    given: dict[str, list[ast.expr]] = {name: [] for name in stored}
    for node in ast.walk(function):
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            given[node.targets[0].id].append(node.value)
    found = {name for name, values in given.items() if len(values) == stored.count(name)}
    while True:
        kept = {name for name in found if all(_is_index(value, found) for value in given[name])}
        if kept == found:
            return found
        found = kept


def _is_index(node: ast.expr, indices: set[str]) -> bool:
    """Whether an expression is computed of positions and whole numbers alone, positions among them."""
    match node:
        case ast.Name(id=name):
            return name in indices
        case ast.Subscript(value=value):
            return _is_index(value, indices)
        case ast.BinOp(left=left, op=ast.Add() | ast.Mult() | ast.Sub() | ast.FloorDiv() | ast.Mod(), right=right):
            sides = [one for one in (left, right) if not (isinstance(one, ast.Constant) and type(one.value) is int)]
            return bool(sides) and all(_is_index(one, indices) for one in sides)
        case ast.Call(func=func):
            return dotted(func) in (("tl", "arange"), ("tl", "program_id"))
    return False


def _is_tensor(node: ast.expr) -> bool:
    """Whether an expression certainly gives a tensor, and has no effect."""
    calls = [n for n in ast.walk(node) if isinstance(n, ast.Call)]
    if not all(dotted(c.func)[:1] == ("tl",) and dotted(c.func)[-1] in _PURE for c in calls):
        return False
    if isinstance(node, ast.Call):
        return True
    return isinstance(node, ast.BinOp) and (_is_tensor(node.left) or _is_tensor(node.right))


def _annotated(function: ast.FunctionDef) -> set[str]:
    found = (n for n in ast.walk(function) if isinstance(n, ast.AnnAssign) and is_constexpr(n.annotation))
    return {node.target.id for node in found if isinstance(node.target, ast.Name)}


def _independent(one: ast.stmt, other: ast.stmt) -> bool:
    if not all(isinstance(s, ast.Assign) and isinstance(s.targets[0], ast.Name) for s in (one, other)):
        return False
    if any(not _is_quiet(n) for s in (one, other) for n in ast.walk(s)):
        return False
    names = [{n.id for n in ast.walk(s) if isinstance(n, ast.Name)} for s in (one, other)]
    return not (bound_names(one) & names[1] or bound_names(other) & names[0])


def _is_quiet(node: ast.AST) -> bool:
    """Whether a node writes no memory: calls are those of the language that only compute, or read."""
    if not isinstance(node, ast.Call):
        return True
    chain = dotted(node.func)
    return chain[:1] == ("tl",) and not chain[-1].startswith(("atomic", "store", "debug"))


def _replace(statement: ast.stmt, old: ast.expr, new: ast.expr) -> None:
    """Put an expression in the place of another one, which is found by identity."""

    class Replace(ast.NodeTransformer):
        def visit(self, node: ast.AST) -> ast.AST:
            return copy.copy(new) if node is old else self.generic_visit(node)

    Replace().visit(statement)
