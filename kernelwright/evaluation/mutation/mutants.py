"""Mutants of a module: variants that differ from it in one place.

Each is of one of these kinds: `mask`, `bound` (of a loop), `stride` (and sizes in index arithmetic), `operator`,
`constant`, `accumulate` (in 16 bits), `term` (dropped), `arguments` (swapped), `store` (dropped), `axis` (of the grid)
and `grid` (one program too few, axes swapped).
"""

import ast
import itertools
import random
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from kernelwright.backend.launch.jit import needed_kernels
from kernelwright.evaluation.mutation.operators import KERNEL_CHANGES, LAUNCH_CHANGES
from kernelwright.evaluation.mutation.places import BUILTINS, Site, callee, flow_of, sites, text_of
from kernelwright.ir.errors import UserError
from kernelwright.ir.values import Kernel, KernelModule, Launcher
from kernelwright.ir.verifier import launched, verify


@dataclass(frozen=True)
class Mutant:
    """A module with one change. `kernel` is the kernel's symbol, or the launcher's entry for a change of host code;
    `line` counts from 1 in the unchanged source of either. `probes` are conditions, as source for a new line before
    line `before`: where one holds in every program, the change changes nothing."""

    module: KernelModule
    kind: str
    kernel: str
    line: int
    description: str
    probes: tuple[str, ...] = ()
    before: int = 0


@dataclass(frozen=True)
class _Change:
    """A node of a text, and what takes its place."""

    kind: str
    old: ast.expr | ast.stmt
    new: ast.AST
    probes: tuple[str, ...] = ()
    before: int = 0


def mutants(module: KernelModule, limit: int | None = None, seed: int = 0) -> tuple[Mutant, ...]:
    """Mutants that are in the dialect, in the order of the text; the same for the same arguments.

    With a limit, a sample spread evenly over kinds and, within each, over lines. Raises UserError for a module
    without kernels.
    """
    if module.launcher is None:
        raise UserError(f"@{module.name} has no kernels yet; lower it first")
    everything = list(_mutants(module, module.launcher))
    order = range(len(everything)) if limit is None else _spread(everything, seed)
    right = (place for place in order if not verify(everything[place].module))
    return tuple(everything[place] for place in sorted(itertools.islice(right, limit)))


def _spread(everything: Sequence[Mutant], seed: int) -> list[int]:
    """All places, sampled from the front: kinds take turns, and within a kind lines do."""
    lines: dict[str, dict[tuple[str, int], list[int]]] = {}
    for place, one in enumerate(everything):
        lines.setdefault(one.kind, {}).setdefault((one.kernel, one.line), []).append(place)
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


def _mutants(module: KernelModule, launcher: Launcher) -> Iterator[Mutant]:
    """Every change of kernels that are used, then of the launches; no text twice."""
    direct = launched(module)
    used = {kernel.symbol for symbol in direct for kernel in needed_kernels(module, symbol)}
    names = {part.id for text in module.constants for part in ast.walk(ast.parse(text)) if isinstance(part, ast.Name)}
    known = frozenset(names | BUILTINS | {"tl", "triton", "math"})
    for kernel in module.kernels:
        if kernel.symbol in used:
            yield from _made(module, kernel, _kernel_changes(kernel.source, kernel.symbol in direct, known))
    yield from _made(module, launcher, _launch_changes(launcher.source, frozenset(direct)))


def _made(module: KernelModule, text: Kernel | Launcher, changes: Iterable[_Change]) -> Iterator[Mutant]:
    seen = {text.source}
    for one in changes:
        description, new = _described(one.old, one.new)
        source = _spliced(text.source, one.old, new)
        if source in seen:
            continue
        seen.add(source)
        if isinstance(text, Launcher):
            place, changed = text.entry, replace(module, launcher=replace(text, source=source))
        else:
            kernels = tuple(replace(text, source=source) if kernel is text else kernel for kernel in module.kernels)
            place, changed = text.symbol, replace(module, kernels=kernels)
        yield Mutant(changed, one.kind, place, one.old.lineno, description, one.probes, one.before)


def _kernel_changes(source: str, from_host: bool, known: frozenset[str]) -> Iterator[_Change]:
    function = ast.parse(source).body[0]
    assert isinstance(function, ast.FunctionDef)
    flow = flow_of(function, from_host, known)
    for site in sites(function.body, flow):
        for kind, change in KERNEL_CHANGES.items():
            for new in change(site):
                probes = _probes(site, new) if from_host and flow.steady else ()
                yield _Change(kind, site.node, new, probes, site.statement.lineno)


def _launch_changes(source: str, symbols: frozenset[str]) -> Iterator[_Change]:
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
                yield _Change(kind, old, new)


def _described(old: ast.AST, new: ast.AST) -> tuple[str, str]:
    """What changed, for people, and the new text as it goes into the source."""
    before, after = ("".join(text_of(node).split("\n")) for node in (old, new))
    whole = isinstance(new, ast.stmt | ast.Name | ast.Call | ast.Constant)
    return f"`{before}` -> `{after}`", after if whole else f"({after})"


def _spliced(source: str, node: ast.expr | ast.stmt, text: str) -> str:
    """The source with a node's text replaced. Columns are bytes of UTF-8."""
    assert node.end_lineno is not None and node.end_col_offset is not None
    lines = [line.encode() for line in source.split("\n")]
    head = b"\n".join([*lines[: node.lineno - 1], lines[node.lineno - 1][: node.col_offset]])
    tail = b"\n".join([lines[node.end_lineno - 1][node.end_col_offset :], *lines[node.end_lineno :]])
    return head.decode() + text + tail.decode()


def _probes(site: Site, new: ast.AST) -> tuple[str, ...]:
    """Conditions of which each, if true on every lane of every program, proves the change harmless: all are decided
    by the launch alone, so that one run tells. Old and new value are the same integers; or the change is in what a
    load puts outside its mask and nothing is outside, or in the branch of a `where` that is never taken."""
    if not isinstance(site.node, ast.expr) or isinstance(site.statement, ast.While):
        return ()
    probes = []
    decides, node = site.flow.decides, site.node
    if isinstance(new, ast.expr) and decides(node) and decides(new):
        probes.append(f"(({text_of(node)}) ^ ({text_of(new)})) == 0")
    if isinstance(node, ast.Call) and isinstance(new, ast.Call) and callee(node)[0] in ("load", "store"):
        mask = _mask(node)
        if mask is not None and decides(mask) and _address(node) == _address(new):
            probes.append(f"{text_of(mask)}")
    inner: ast.AST = node
    for outer in (node, *site.around):
        if isinstance(outer, ast.Call) and callee(outer)[0] == "where" and len(outer.args) == 3:
            condition, first, second = outer.args
            if decides(condition) and (inner is second or new is first):
                probes.append(text_of(condition))
            elif decides(condition) and inner is first:
                probes.append(f"({text_of(condition)}) == 0")
        inner = outer
    return tuple(probes)


def _mask(call: ast.Call) -> ast.expr | None:
    place = 1 if callee(call)[0] == "load" else 2
    named = [keyword.value for keyword in call.keywords if keyword.arg == "mask"]
    return named[0] if named else call.args[place] if len(call.args) > place else None


def _address(call: ast.Call) -> list[str]:
    """A load's address, or a store's address and value."""
    return [text_of(argument) for argument in call.args[: 1 if callee(call)[0] == "load" else 2]]
