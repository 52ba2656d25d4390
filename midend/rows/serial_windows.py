"""`serial-windows`: short reductions, such as pooling's, are done by each lane for itself."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import ClassVar

from kernelwright.backend.launch.facts import launch_facts
from kernelwright.backend.launch.host_trace import trace_host
from kernelwright.ir.errors import UserError
from kernelwright.ir.kernel.analysis.accesses import Access
from kernelwright.ir.kernel.analysis.axes import Axes, Axis
from kernelwright.ir.kernel.analysis.forms import Factor, Form, Leaf
from kernelwright.ir.kernel.analysis.launches import Launches
from kernelwright.ir.kernel.rewriting import Rewriting
from kernelwright.ir.kernel.text.inlining import self_contained
from kernelwright.ir.kernel.text.parsing import kernel_functions
from kernelwright.ir.kernel.text.printing import with_functions
from kernelwright.ir.kernel.values import Constant, Function, Operation, Region
from kernelwright.ir.kernel.vocabulary import LOOPS
from kernelwright.ir.passes import Context, Declined, Keeps, register
from kernelwright.ir.values import KernelModule, Scalar
from kernelwright.midend.analysis.host_code import NOT_STRAIGHT, without_idle_kernels
from kernelwright.midend.analysis.launches import HostLaunch, launched_once
from kernelwright.midend.kernel_pass import KernelPass, rewritten
from kernelwright.midend.rows.row_blocks import RowLoops
from kernelwright.midend.rows.row_positions import RowPositions

#: Elements of a window, at most; those that are written out.
MOST, MOST_UNROLLED = 1024, 32
#: Windows of a program, and warps.
WINDOWS, WARPS = 256, 4


@register
@dataclass(frozen=True)
class SerialWindows(KernelPass):
    """Reduce each short window in one lane, one element after another, instead of several windows in a tile.

    limit: the longest window, in elements. Legal for looped reductions (`lower-inductor{persistent=false}`); sums are
    taken in another order. Left alone are windows that are whole rows of memory, which lanes had better share.
    Expected, not measured: pooling near the memory floor, since neighbouring lanes load neighbouring windows, which
    overlap in L1, and nothing is exchanged between threads.
    """

    name: ClassVar[str] = "serial-windows"
    needs: ClassVar[str] = "loops over one short window of known length in steps of one block, no line of memory"
    changes: ClassVar[str] = (
        "the block is one element, programs have more windows, and the shortest loops are written out"
    )
    keeps: ClassVar[Keeps | None] = Keeps.REASSOCIATED

    limit: int = 256

    def __post_init__(self) -> None:
        if not 1 <= self.limit <= MOST:
            raise UserError(f"limit={self.limit}: choose 1 to {MOST} elements")

    def run(self, module: KernelModule, ctx: Context) -> KernelModule:
        """The module with such kernels; the same object where there is none."""
        functions = kernel_functions(module)
        looped = any(one.kind in LOOPS for function in functions.values() for one in function.walk())
        if not looped:
            ctx.declined(Declined("no kernel has a loop"))
            return module
        trace = trace_host(module)
        if trace is None:
            ctx.declined(Declined(NOT_STRAIGHT))
            return module
        known, made, metas = launch_facts(module), dict[str, Function](), dict[str, tuple[tuple[str, Scalar], ...]]()
        for launch in launched_once(module, trace):
            symbol = launch.kernel.symbol
            meta = self._meta(launch, functions, known.get(symbol))
            if isinstance(meta, Declined):
                ctx.declined(replace(meta, kernel=symbol))
                continue
            metas[symbol] = meta
            rewrite = partial(self.rewrite, launches=known.get(symbol))
            unrolled = rewritten(functions[symbol], functions, rewrite, self.needs)
            made |= {symbol: unrolled} if not isinstance(unrolled, Declined) else {}
        if not metas:
            return module
        module = with_functions(module, made)
        kernels = tuple(replace(one, meta=metas.get(one.symbol, one.meta)) for one in module.kernels)
        return without_idle_kernels(replace(module, kernels=kernels))

    def rewrite(self, function: Function, launches: Launches | None) -> Function | Declined:
        """The kernel with its loops written out where they are short."""
        rows = RowLoops.of(function, launches)
        if isinstance(rows, Declined):
            return rows
        if rows.length > MOST_UNROLLED:
            return Declined(f"a loop has {rows.length} iterations, too many to unroll")
        edits = Rewriting(function)
        for loop in rows.loops:
            edits.put(loop, _written_out(edits, loop, rows.length))
        return edits.done()

    def _meta(
        self, launch: HostLaunch, functions: Mapping[str, Function], launches: Launches | None
    ) -> tuple[tuple[str, Scalar], ...] | Declined:
        """The launch options with a window to a lane, or why the kernel is none of windows."""
        rows = RowLoops.of(self_contained(functions[launch.kernel.symbol], functions), launches)
        meta = dict(launch.kernel.meta)
        if isinstance(rows, Declined):
            return rows
        if rows.length > self.limit:
            return Declined(f"its loops run over {rows.length} elements, more than {self.limit}")
        if meta.get(rows.parameter, 1) == 1:
            return Declined("no launch option sets a block of more than one element")
        axes = Axes(rows.function, launches)
        names = {
            value: one.name for one, value in zip(rows.function.parameters, rows.function.body.arguments, strict=True)
        }
        windows = [axis for axis in axes.all if axis.placing == "parallel" and axis.block in names]
        shared = {names[axis.block] for axis in windows}  # type: ignore[index]
        option = shared.pop() if len(shared) == 1 else ""
        positions = RowPositions.of(rows, launches)
        if option not in launch.grid_options or rows.parameter in launch.grid_options or option not in meta:
            return Declined("no launch option says how many windows a program has")
        if any(map(positions.is_ordered, rows.loops)):
            return Declined("a loop depends on which element comes first")
        if _is_row(positions, windows, rows.length):
            return Declined("a window is contiguous in memory, so lanes should share it")
        count = WINDOWS if _is_masked(axes, windows) else _dividing(launches, meta[option])
        meta |= {option: count, rows.parameter: 1, "num_warps": WARPS}
        return tuple(meta.items())


def _written_out(edits: Rewriting, loop: Operation, length: int) -> Operation:
    """The loop with its rounds written out by Triton."""
    body = loop.regions[0]
    arguments = tuple(edits.value() for _ in body.arguments)
    operations, given = edits.clone(body, arguments)
    ends = {"end": Constant(str(length))}
    kept = [
        (ends.get(k, o), k)
        for o, k in zip(loop.operands, loop.keys, strict=True)
        if k in ("start", "end", "step", "init")
    ]
    return Operation(
        "static_for",
        tuple(operand for operand, _ in kept),
        tuple(key for _, key in kept),
        tuple(edits.value() for _ in loop.results),
        (Region(arguments, tuple(operations), given),),
        effect=loop.effect,
    )


def _is_row(positions: RowPositions, windows: list[Axis], length: int) -> bool:
    """Whether some load reads a window that lies in memory as one line."""
    lanes = {axis.lanes for axis in windows}
    loads = (access for access in positions.accesses.all if access.operation.kind == "load")
    found = (
        access.index.coefficient(leaf)
        for access in loads
        if access.index is not None
        for leaf in access.index.leaves
        if leaf.value in lanes
    )
    return any(along == Form.number(length) for along in found)


def _is_masked(axes: Axes, windows: list[Axis]) -> bool:
    """Whether every access that moves from window to window is masked by how many windows there are."""
    lanes = {axis.lanes for axis in windows}
    ends = [_flat(axis.index.plus(axis.extent, -1)) for axis in windows if axis.extent is not None]

    def ended(access: Access) -> bool:
        moves = access.index is None or any(leaf.value in lanes for leaf in access.index.leaves)
        return not moves or any(one.form is not None and _flat(one.form) in ends for one in access.conditions)

    return all(map(ended, axes.accesses.all))


def _flat(form: Form) -> Form:
    """The form without what tells the dimensions of a tensor apart."""

    def flat(factor: Factor) -> Factor:
        return Leaf(factor.value) if isinstance(factor, Leaf) else factor

    return Form.of({tuple(sorted(map(flat, product), key=str)): number for product, number in form.terms})


def _dividing(launches: Launches | None, given: Scalar) -> Scalar:
    """Windows of a program that divide their number as the given ones do."""
    programs = launches.programs(0) if launches is not None else None
    if programs is None or not isinstance(given, int):
        return given
    while given < WINDOWS and programs % 2 == 0:
        given, programs = given * 2, programs // 2
    return given
