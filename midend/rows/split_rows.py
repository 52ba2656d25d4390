"""`split-rows`: long rows of few programs are reduced in parts by many, and the parts by a second kernel."""

import ast
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

from kernelwright.backend.launch.host_trace import HostTrace, trace_host
from kernelwright.ir.errors import UserError
from kernelwright.ir.exploration import Exploration, Variant
from kernelwright.ir.passes import Context, Pass, register
from kernelwright.ir.values import Kernel, KernelModule, Level, Scalar
from kernelwright.midend.analysis.host_code import (
    fresh_symbol,
    names_of,
    with_kernel,
    with_statements,
    without_idle_kernels,
)
from kernelwright.midend.analysis.launches import HostLaunch, find_launches
from kernelwright.midend.analysis.trees import bound_by, local_names, names_in, read_by
from kernelwright.midend.rows.row_loops import LOOP, REDUCE, WELFORD, live, rows_of, starts_of, with_index

#: Elements of a row that a part should not have fewer of; parts are multiples of it.
LEAST_PART = 4096


@register
@dataclass(frozen=True)
class SplitRows(Pass):
    """Reduce long rows in two kernels if a single kernel has too few programs to fill the device.

    programs: how many there should be (eight for each of an H200's 132 multiprocessors). Legal for kernels of one loop
    that only sums, takes a maximum or minimum, or Welford's mean and variance; sums are taken in another order.
    Expected, not measured: as much faster as there are idle multiprocessors, less one launch.
    """

    name: ClassVar[str] = "split-rows"
    reads: ClassVar[Level] = Level.TRITON
    writes: ClassVar[Level] = Level.TRITON
    explore = Exploration(variants=(Variant("programs=264"),))

    programs: int = 1056

    def __post_init__(self) -> None:
        if not 2 <= self.programs <= 65536:
            raise UserError(f"programs={self.programs}: choose 2 to 65536")

    def run(self, module: KernelModule, ctx: Context) -> KernelModule:  # noqa: ARG002
        """The module with such reductions split; the same object where there is none."""
        done: set[str] = set()
        while (trace := trace_host(module)) is not None:
            launches = [launch for launch in find_launches(module, trace) if launch.kernel.symbol not in done]
            for launch in launches:
                done.add(launch.kernel.symbol)
                reduction = Reduction.of(launch, self.programs)
                if reduction is not None:
                    module = _split(module, trace, launch, reduction)
                    done |= {kernel.symbol for kernel in module.kernels[-2:]}
                    break
            else:
                return module
        return module


@dataclass(frozen=True)
class Reduction:
    """A kernel of one loop over rows: what comes before it, the loop, what makes a value of each accumulator, and what
    is done with those. `rows` of `row` elements become `parts` of `size` elements; `starts` has the accumulators'
    first values and types.
    """

    before: tuple[ast.stmt, ...]
    loop: ast.For
    reduces: tuple[ast.stmt, ...]
    after: tuple[ast.stmt, ...]
    starts: dict[str, tuple[str, str]]
    rows: int
    row: int
    size: int
    masked: bool

    @property
    def parts(self) -> int:
        """Parts of a row."""
        return -(-self.row // self.size)

    @classmethod
    def of(cls, launch: HostLaunch, programs: int) -> "Reduction | None":
        """Read a kernel; None where it is another, or has programs enough, or rows too short."""
        body = launch.function.body
        loops = [s for s in body if isinstance(s, ast.For)]
        inner = [n for n in ast.walk(launch.function) if isinstance(n, ast.For | ast.While | ast.If)]
        match = LOOP.fullmatch(ast.unparse(loops[0].iter)) if len(loops) == len(inner) == 1 else None
        rows = rows_of(launch)
        if match is None or rows is None or _has_effects(loops[0]):
            return None
        row, block = int(match[1]), dict(launch.kernel.meta)["XBLOCK"]
        assert isinstance(block, int)
        have = -(-rows // block)
        parts = min(-(-programs // have), row // LEAST_PART) if 4 * have <= programs else 1
        at = body.index(loops[0])
        before, after = body[:at], body[at + 1 :]
        starts = starts_of(before)
        reduces = [s for s in after if names_in(s) & set(starts)]
        rest = [s for s in after if s not in reduces]
        if parts < 2 or not reduces or not _can_be_split(launch, before, loops[0], reduces, rest):
            return None
        size = -(-row // parts // LEAST_PART) * LEAST_PART
        before, masked = with_index(before, rows)
        return cls(tuple(before), loops[0], tuple(reduces), tuple(rest), starts, rows, row, size, masked)

    def sums(self) -> list[str]:
        """The accumulators in the order in which they are reduced."""
        names: list[str] = []
        for statement in self.reduces:
            text = ast.unparse(statement)
            match = REDUCE.fullmatch(text)
            names += [match["sum"]] if match else WELFORD.fullmatch(text)["sums"].split(", ")  # type: ignore[index]
        return names


def _can_be_split(
    launch: HostLaunch,
    before: Sequence[ast.stmt],
    loop: ast.For,
    reduces: Sequence[ast.stmt],
    rest: Sequence[ast.stmt],
) -> bool:
    """Whether the loop only fills accumulators, those become values in a known way, and our names are free."""
    starts = set(starts_of(before))
    known = all(REDUCE.fullmatch(ast.unparse(s)) or WELFORD.fullmatch(ast.unparse(s)) for s in reduces)
    ragged = any(name.startswith("r0_") for s in rest for name in names_in(s))
    pure = all(isinstance(s, ast.Assign | ast.AnnAssign) and "tl.atomic" not in ast.unparse(s) for s in before)
    ours = {"part", "part_start", "part_stop", "PARTS", *(f"{name}_ptr" for name in starts)}
    taken = ours & local_names(launch.function)
    return known and pure and not ragged and not taken and _carried(loop) <= starts


def _has_effects(loop: ast.For) -> bool:
    words = ("tl.store", "tl.atomic", "tl.associative_scan", "tl.cumsum", "tl.debug_barrier")
    return any(word in ast.unparse(loop) for word in words)


def _carried(loop: ast.For) -> set[str]:
    """Names that a round of the loop reads from the round before."""
    carried: set[str] = set()
    bound: set[str] = set()
    everywhere = set(bound_by(loop))
    for statement in loop.body:
        carried |= (read_by(statement) & everywhere) - bound - {"r0_offset"}
        bound |= set(bound_by(statement))
    return carried


def _split(module: KernelModule, trace: HostTrace, launch: HostLaunch, reduction: Reduction) -> KernelModule:
    sums, symbol = reduction.sums(), launch.kernel.symbol
    first = _partial_kernel(launch, reduction, sums, fresh_symbol(module, f"{symbol}_parts"))
    module = with_kernel(module, first)
    second = _final_kernel(launch, reduction, sums, fresh_symbol(module, f"{symbol}_whole"))
    taken, device = names_of(module), trace.code.parameters[0]
    buffers = []
    for name in sums:
        buffer = f"parts_{name}"
        while buffer in taken:
            buffer += "_"
        buffers.append(buffer)
        taken.add(buffer)
    shape, parts = (reduction.rows, reduction.parts), reduction.parts
    lines = [
        f"{buffer} = torch.empty_strided({shape}, ({parts}, 1), device={device}.device, "
        f"dtype=torch.{reduction.starts[name][1]})"
        for buffer, name in zip(buffers, sums, strict=True)
    ]
    for kernel, grid in ((first, f", {parts}"), (second, ",")):
        parameters = [a.arg for a in ast.parse(kernel.source).body[0].args.args]  # type: ignore[attr-defined]
        given = [launch.given[name] for name in parameters if name in launch.given]
        text = f"triton.cdiv({reduction.rows}, {kernel.meta_name}['XBLOCK']){grid}"
        lines.append(f"{kernel.symbol}[{text}]({', '.join([*given, *buffers, f'**{kernel.meta_name}'])})")
    module = with_statements(with_kernel(module, second), trace, {launch.index: lines})
    return without_idle_kernels(module)


def _partial_kernel(launch: HostLaunch, reduction: Reduction, sums: Sequence[str], symbol: str) -> Kernel:
    """Reduces part `tl.program_id(1)` of each row."""
    loop = ast.unparse(reduction.loop)
    loop = loop.replace(f"tl.range(0, {reduction.row}, R0_BLOCK)", "tl.range(part_start, part_stop, R0_BLOCK)")
    loop = loop.replace(f"r0_index < {reduction.row}", "r0_index < part_stop").replace(
        "roffset == 0", "roffset == part_start"
    )
    ends = []
    for statement in reduction.reduces:
        ends.append(ast.unparse(statement))
        match = REDUCE.fullmatch(ends[-1])
        welford = WELFORD.fullmatch(ends[-1])
        names = [match["name"]] if match else [f"{name}[:, None]" for name in welford["names"].split(", ")]  # type: ignore[index]
        ends += [f"tl.store(STORE, {name}, MASK)" for name in names]
    places = iter(sums)
    at = f"({reduction.parts} * xindex + part)"
    ends = [
        e if "STORE" not in e else e.replace("STORE", f"{next(places)}_ptr + {at}").replace("MASK", "xmask")
        for e in ends
    ]
    head = ["part = tl.program_id(1)", f"part_start = part * {reduction.size}"]
    head.append(f"part_stop = tl.minimum(part_start + {reduction.size}, {reduction.row})")
    needed = names_in(ast.parse("\n".join([loop, *ends])))
    lines = [*map(ast.unparse, live(reduction.before, needed)), *head, *loop.splitlines(), *ends]
    return _kernel(launch, symbol, lines, [f"{name}_ptr" for name in sums], dict(launch.kernel.meta))


def _final_kernel(launch: HostLaunch, reduction: Reduction, sums: Sequence[str], symbol: str) -> Kernel:
    """Reduces the parts, and does what the kernel did with the values."""
    block = 1 << (reduction.parts - 1).bit_length()
    lines = [f"PARTS: tl.constexpr = {block}", "part = tl.arange(0, PARTS)[None, :]"]
    mask = f"(part < {reduction.parts}) & xmask"
    for name in sums:
        start = reduction.starts[name][0]
        lines.append(f"{name} = tl.load({name}_ptr + ({reduction.parts} * xindex + part), {mask}, other={start})")
    lines += [ast.unparse(s) for s in (*reduction.reduces, *reduction.after)]
    needed = names_in(ast.parse("\n".join(lines))) - set(sums)
    rows = max(min(1024 // block, 1 << (reduction.rows - 1).bit_length()), 1)
    if not reduction.masked:  # what is unmasked fits blocks that divide the given one
        given = dict(launch.kernel.meta)["XBLOCK"]
        assert isinstance(given, int)
        rows = min(rows, given)
    meta = {"XBLOCK": rows, "num_warps": max(min(rows * block // 256, 8), 1)}
    return _kernel(
        launch,
        symbol,
        [*map(ast.unparse, live(reduction.before, needed)), *lines],
        [f"{name}_ptr" for name in sums],
        meta,
    )


def _kernel(launch: HostLaunch, symbol: str, lines: list[str], added: list[str], meta: Mapping[str, Scalar]) -> Kernel:
    """A kernel of those parameters of the given one that its lines name, and the added ones."""
    text = "\n".join(lines)
    used = names_in(ast.parse(text))
    kept = [name for name in launch.parameters if name in used]
    blocks = [ast.unparse(a) for a in launch.function.args.args if a.arg in launch.constexprs and a.arg in used]
    source = "\n".join(
        [
            f"@triton.jit\ndef {symbol}({', '.join([*kept, *added, *blocks])}):",
            *(f"    {line}" for line in text.splitlines()),
        ]
    )
    names = {block.partition(":")[0] for block in blocks}
    options = tuple((k, v) for k, v in meta.items() if k in names or k.startswith("num_"))
    return replace(launch.kernel, symbol=symbol, source=source, meta=options)
