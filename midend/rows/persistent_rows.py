"""`persistent-rows`: rows that loops run over several times are held by their program, and loaded once."""

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import ClassVar

from kernelwright.backend.launch.host_trace import HostTrace
from kernelwright.ir.errors import UserError
from kernelwright.ir.kernel.analysis.accesses import Accesses, written_parameters
from kernelwright.ir.kernel.analysis.axes import Axes
from kernelwright.ir.kernel.analysis.launches import Launches
from kernelwright.ir.kernel.canonical import live_values
from kernelwright.ir.kernel.counting import counted
from kernelwright.ir.kernel.normal import normal_form
from kernelwright.ir.kernel.rewriting import Rewriting
from kernelwright.ir.kernel.text.inlining import self_contained
from kernelwright.ir.kernel.text.parsing import kernel_functions
from kernelwright.ir.kernel.text.printing import with_functions
from kernelwright.ir.kernel.values import Function, Operand, Operation
from kernelwright.ir.passes import Context, Declined, Keeps, Pass, register
from kernelwright.ir.values import Kernel, KernelModule, Level, Scalar
from kernelwright.midend.analysis.host_code import (
    repeated_on_straight_host,
    with_statements,
    without_idle_kernels,
    without_tensors,
)
from kernelwright.midend.analysis.launches import HostLaunch, is_made_for, roots_of
from kernelwright.midend.kernel_pass import one_launch_rewritten
from kernelwright.midend.rows.repeated_accesses import Tensors, without_repeats
from kernelwright.midend.rows.row_blocks import RowLoops, WholeRows

#: Elements of a row that a program can hold in registers at 16 warps.
MOST_ELEMENTS = 32768
#: Elements that a thread should hold, and that a program's tile should have where rows are short.
PER_THREAD, TILE = 32, 2048


@register
@dataclass(frozen=True)
class PersistentRows(Pass):
    """Turn several loops over a row into one block that holds the row, so that each element is loaded once.

    limit: the longest row, in elements. Legal for kernels of several loops, all over the same rows in steps of one
    block, that mask the end of a row; sums are taken in another order. Tensors that only carried values from one loop
    to the next go away. Expected, not measured: norms and softmax over rows of up to 32768 move each element once in
    and once out, where loops move it up to five times.
    """

    name: ClassVar[str] = "persistent-rows"
    reads: ClassVar[Level] = Level.TRITON
    writes: ClassVar[Level] = Level.TRITON
    needs: ClassVar[str] = "several loops, all over one row of known length in steps of one block, masked at its end"
    changes: ClassVar[str] = "one block holds the row; loads of what is known go, and tensors that only carried it"
    keeps: ClassVar[Keeps | None] = Keeps.REASSOCIATED

    limit: int = 16384

    def __post_init__(self) -> None:
        if not 1 <= self.limit <= MOST_ELEMENTS:
            raise UserError(f"limit={self.limit}: choose 1 to {MOST_ELEMENTS} elements")

    def run(self, module: KernelModule, ctx: Context) -> KernelModule:
        """The module with such kernels in persistent form; the same object where there is none."""
        return repeated_on_straight_host(module, self._one_persistent, ctx)

    def _one_persistent(
        self, module: KernelModule, trace: HostTrace, declined: Callable[[Declined], None]
    ) -> KernelModule | None:
        """The module with its first such kernel in persistent form; None where there is none."""
        functions = kernel_functions(module)

        def rewrite(launch: HostLaunch, launches: Launches) -> KernelModule | Declined:
            found = self._found(functions, launch, launches)
            if isinstance(found, Declined):
                return found
            return _replaced(module, trace, launch, _made(trace, launch, found, launches, functions), found)

        return one_launch_rewritten(module, trace, rewrite, declined)

    def _found(self, functions: Mapping[str, Function], launch: HostLaunch, launches: Launches) -> RowLoops | Declined:
        """The loops of a kernel that may give way to one block, or why there are none."""
        rows = RowLoops.of(self_contained(functions[launch.kernel.symbol], functions), launches)
        if isinstance(rows, Declined):
            return rows
        if len(rows.loops) < 2:
            return Declined("it has one loop, which loads each element once")
        if not 1 < rows.length <= self.limit:
            return Declined(f"its rows have {rows.length} elements, and the limit is {self.limit}")
        given = dict(launch.kernel.meta).get(rows.parameter)
        if type(given) is not int:
            return Declined(f"no launch option gives {rows.parameter}")
        if rows.parameter in launch.grid_options:
            return Declined(f"the grid depends on {rows.parameter}")
        whole = WholeRows.of(rows.whole, launches, rows.length, rows.block)
        if not whole.is_masked():
            return Declined("an access is not masked at the end of the row")
        if rows.length % given == 0 and not whole.is_neutral():
            return Declined("elements beyond the end of the row may change the result of a reduction or a scan")
        return rows


def _made(
    trace: HostTrace, launch: HostLaunch, rows: RowLoops, launches: Launches, functions: Mapping[str, Function]
) -> Function:
    """The kernel with whole rows, its helpers taken apart, or without where that comes to the same."""
    tensors = _tensors(trace, launch, rows.function)
    made = without_repeats(rows.whole, launches, tensors)
    whole = counted(functions[launch.kernel.symbol])
    short = RowLoops.of(whole, launches)
    if whole is rows.function or isinstance(short, Declined):
        return made
    kept = without_repeats(short.whole, launches, tensors, trusting=True)
    return kept if normal_form(kept, functions) == normal_form(made, functions) else made


def _tensors(trace: HostTrace, launch: HostLaunch, function: Function) -> Tensors:
    """What the tensors of a launch share with one another."""
    touched = roots_of(trace, launch)
    written = written_parameters(function) & set(launch.parameters)
    dirty = set().union(*(touched[name] for name in written))
    alone = frozenset(
        name
        for name in launch.parameters
        if not any(touched[name] & touched[other] for other in launch.parameters if other != name)
    )
    return Tensors(frozenset(n for n, roots in touched.items() if not roots & dirty), alone & written)


def _replaced(
    module: KernelModule, trace: HostTrace, launch: HostLaunch, function: Function, loops: RowLoops
) -> KernelModule:
    """The module with the kernel, without the tensors that it only stores to for nobody else."""
    given = launch.given
    scratch = [name for name in _only_stored(function) if is_made_for(trace, given[name], launch.index)]
    rows = _row_block(function, launch)
    function = _without_tensors(function, scratch)
    symbol = launch.kernel.symbol
    module = with_functions(module, {symbol: function})
    made = replace(module.kernel(symbol), meta=_meta(launch.kernel, loops.parameter, rows, loops.block))
    module = replace(module, kernels=tuple(made if one.symbol == symbol else one for one in module.kernels))
    tensors = [given[name] for name in scratch]
    if tensors:
        left = [text for text in given.values() if text not in tensors]
        texts = {launch.index: [launch.text(launch.kernel, left)], **without_tensors(trace, tensors)}
        module = with_statements(module, trace, texts)
    return without_idle_kernels(module)


def _row_block(function: Function, launch: HostLaunch) -> str | None:
    """The launch option by which programs share out the rows."""
    axes = [axis.block for axis in Axes(function).all if axis.placing == "parallel"]
    pairs = zip(function.parameters, function.body.arguments, strict=True)
    found = [one.name for one, value in pairs if value in axes and one.name in launch.grid_options]
    return found[0] if len(found) == 1 else None


def _meta(kernel: Kernel, parameter: str, rows: str | None, block: int) -> tuple[tuple[str, Scalar], ...]:
    """Launch options: fewer rows a program, and warps for what it holds."""
    given = {name: value for name, value in kernel.meta if name != parameter}
    count = given.get(rows, 1) if rows is not None else 1
    assert isinstance(count, int)
    count = max(min(count, TILE // block), 1)
    if rows is not None:
        given[rows] = count
    given["num_warps"] = min(max(count * block // (32 * PER_THREAD), 1), 16)
    return tuple(given.items())


def _only_stored(function: Function) -> list[str]:
    """Parameters that are used as pointers of stores, and for nothing else."""
    storing = _storing(function)
    return [
        one.name
        for one, value in zip(function.parameters, function.body.arguments, strict=True)
        if value in storing and value not in live_values(_without(function, storing[value]).raw())
    ]


def _storing(function: Function) -> dict[Operand, list[Operation]]:
    """Stores by what they store to."""
    found: dict[Operand, list[Operation]] = defaultdict(list)
    for access in Accesses(function).all:
        if access.operation.kind == "store":
            found[access.base].append(access.operation)
    return found


def _without(function: Function, stores: Iterable[Operation]) -> Rewriting:
    """Edits that take stores out."""
    edits = Rewriting(function)
    for store in stores:
        edits.erase(store)
    return edits


def _without_tensors(function: Function, names: Collection[str]) -> Function:
    """The kernel without these parameters and what is stored to them."""
    storing = _storing(function) if names else {}
    edits = _without(function, [store for name in names for store in storing[function.argument(name)]])
    for name in names:
        edits.drop(name)
    return edits.done()
