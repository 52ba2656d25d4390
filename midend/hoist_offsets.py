"""`hoist-offsets`: loads at constant distances from one another share the arithmetic of one address."""

import ast
import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

from kernelwright.backend.host_trace import trace_host
from kernelwright.ir.passes import Context, Pass, register
from kernelwright.ir.values import Kernel, KernelModule, Level
from kernelwright.midend.host_code import INDEX_LIMIT, fresh_names
from kernelwright.midend.launches import bound_by, called, find_launches, function_of, local_names, names_in

#: Loads that an address of their own is worth.
LEAST_LOADS = 3


@register
@dataclass(frozen=True)
class HoistOffsets(Pass):
    """Work out the address of loads that differ by constants once, so that each adds no more than its constant.

    Sums of 32-bit indices may overflow, which keeps a compiler from taking them apart. Legal where the tensor's extent
    and the constants together stay within 32 bits, and names in the address keep their values from the first load of a
    block of statements to the last. Expected, not measured: on windows, fewer instructions for each load.
    """

    name: ClassVar[str] = "hoist-offsets"
    reads: ClassVar[Level] = Level.TRITON
    writes: ClassVar[Level] = Level.TRITON

    def run(self, module: KernelModule, ctx: Context) -> KernelModule:  # noqa: ARG002
        """The module with such addresses; the same object where no loads share one."""
        extents = _extents(module)
        kernels = tuple(_hoisted(kernel, extents.get(kernel.symbol, {})) for kernel in module.kernels)
        return module if kernels == module.kernels else replace(module, kernels=kernels)


def _extents(module: KernelModule) -> dict[str, dict[str, int]]:
    """By kernel and parameter, elements of the largest tensor that it is given, INDEX_LIMIT where one is not known; of
    those kernels alone whose every launch is understood."""
    trace = trace_host(module)
    if trace is None or module.launcher is None:
        return {}
    launches = list(find_launches(module, trace))
    counts = Counter(launch.kernel.symbol for launch in launches)
    mentions = Counter(re.findall(r"\w+(?=\[)", module.launcher.source))
    found: dict[str, dict[str, int]] = defaultdict(dict)
    for launch in launches:
        known = found[launch.kernel.symbol]
        for parameter, argument in zip(launch.parameters, launch.arguments, strict=True):
            spec = trace.spec(launch.index, argument)
            known[parameter] = max(known.get(parameter, 0), INDEX_LIMIT if spec is None else spec.extent)
    return {symbol: known for symbol, known in found.items() if counts[symbol] == mentions[symbol]}


@dataclass(frozen=True)
class _Load:
    """A load of `pointer + (offset + constant)`: the statement that it is part of, and its address."""

    statement: ast.stmt
    address: ast.expr
    pointer: str
    offset: tuple[str, ...]
    constant: int


def _hoisted(kernel: Kernel, extents: Mapping[str, int]) -> Kernel:
    function = function_of(kernel)
    taken = names_in(function) | local_names(function)
    lines, before = [line.encode() for line in kernel.source.split("\n")], dict[int, list[bytes]]()
    for loads in _groups(function, extents):
        name = loads[0].pointer.removesuffix("_ptr") + "_at"
        name = fresh_names({name}, taken).get(name, name)
        taken.add(name)
        first = loads[0].statement
        made = f"{' ' * first.col_offset}{name} = {loads[0].pointer} + ({' + '.join(loads[0].offset)})"
        before.setdefault(first.lineno, []).append(made.encode())
        # Last first, so that the positions of earlier ones stay true.
        for load in sorted(loads, key=lambda load: (load.address.lineno, load.address.col_offset), reverse=True):
            at, line = load.address, lines[load.address.lineno - 1]
            moved = f"{name} {'-' if load.constant < 0 else '+'} {abs(load.constant)}" if load.constant else name
            lines[at.lineno - 1] = line[: at.col_offset] + moved.encode() + line[at.end_col_offset :]
    if not before:
        return kernel
    text = [part for number, line in enumerate(lines, 1) for part in (*before.get(number, ()), line)]
    return replace(kernel, source=b"\n".join(text).decode())


def _groups(function: ast.FunctionDef, extents: Mapping[str, int]) -> Iterator[list[_Load]]:
    """Loads of one block of statements that have all but a constant in common, in order."""
    blocks = [function.body, *(node.body for node in ast.walk(function) if isinstance(node, ast.For | ast.If))]
    for block in blocks:
        found: dict[tuple[str, tuple[str, ...]], list[_Load]] = defaultdict(list)
        for statement in block:
            if isinstance(statement, ast.Assign) and (load := _load(statement)) is not None:
                found[load.pointer, load.offset].append(load)
        for (pointer, offset), loads in found.items():
            constants = {load.constant for load in loads}
            fits = extents.get(pointer, INDEX_LIMIT) + max(map(abs, constants)) < INDEX_LIMIT
            if len(constants) >= LEAST_LOADS and fits and not _changed(block, loads, (pointer, *offset)):
                yield loads


def _changed(block: Sequence[ast.stmt], loads: Sequence[_Load], terms: Sequence[str]) -> bool:
    """Whether a name in the address is bound between the first load and the last."""
    names = set().union(*(names_in(ast.parse(term)) for term in terms))
    between = block[block.index(loads[0].statement) : block.index(loads[-1].statement)]
    return any(not names.isdisjoint(bound_by(statement)) for statement in between)


def _load(statement: ast.Assign) -> _Load | None:
    """The load that a statement's value is, where its address is a pointer's sum with a constant among its terms."""
    call = statement.value
    if not (isinstance(call, ast.Call) and called(call, "tl.load") and call.args):
        return None
    address = call.args[0]
    if not (isinstance(address, ast.BinOp) and address.lineno == address.end_lineno):
        return None
    pointer, *terms = _terms(address)
    numbers = [number for term in terms if (number := _number(term)) is not None]
    offset = tuple(ast.unparse(term) for term in terms if _number(term) is None)
    if not isinstance(pointer, ast.Name) or not offset:
        return None
    return _Load(statement, address, pointer.id, offset, sum(numbers))


def _terms(node: ast.expr) -> list[ast.expr]:
    """The terms of a sum, from the left."""
    match node:
        case ast.BinOp(left, ast.Add(), right):
            return [*_terms(left), *_terms(right)]
    return [node]


def _number(node: ast.expr) -> int | None:
    """A whole number, negative ones included."""
    match node:
        case ast.Constant(int(value)):
            return value
        case ast.UnaryOp(ast.USub(), ast.Constant(int(value))):
            return -value
    return None
