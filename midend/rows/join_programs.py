"""`join-programs`: programs that are neighbours in memory become one, with a lane for each."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import ClassVar

from kernelwright.backend.launch.host_trace import HostTrace
from kernelwright.ir.errors import UserError
from kernelwright.ir.kernel.analysis.accesses import Access, Accesses
from kernelwright.ir.kernel.analysis.forms import INDEX_LIMIT, Leaf
from kernelwright.ir.kernel.analysis.launches import Launches
from kernelwright.ir.kernel.batching import UnbatchedError, batched
from kernelwright.ir.kernel.merging.merged import with_parameters
from kernelwright.ir.kernel.text.inlining import self_contained
from kernelwright.ir.kernel.text.parsing import kernel_functions
from kernelwright.ir.kernel.text.printing import with_functions
from kernelwright.ir.kernel.values import Constant, Function, Operation, Parameter
from kernelwright.ir.passes import Context, Declined, Keeps, Pass, register
from kernelwright.ir.values import KernelModule, Level
from kernelwright.midend.analysis.host_code import (
    fresh_names,
    repeated_on_straight_host,
    with_statements,
    without_idle_kernels,
)
from kernelwright.midend.analysis.launches import HostLaunch
from kernelwright.midend.kernel_pass import one_launch_rewritten

#: The fewest and the most programs that become one, and elements that it then should have in a block.
LEAST, MOST, TILE = 8, 128, 8192
_OPTION = "LANES"


@register
@dataclass(frozen=True)
class JoinPrograms(Pass):
    """Give one program the work of neighbours, whose elements lie side by side where its own lie apart.

    lanes: programs that become one, fewer where their blocks are long. Legal for programs that neither branch nor use
    atomics, all of whose numbers launches know: each value that differs between them gets one more dimension. Sums are
    taken in another order. Expected, not measured: sums of columns and changes of layout read whole cache lines, where
    each element came from a line of its own.
    """

    name: ClassVar[str] = "join-programs"
    reads: ClassVar[Level] = Level.TRITON
    writes: ClassVar[Level] = Level.TRITON
    needs: ClassVar[str] = "a program for each element of a dimension, whose own elements lie a stride apart in memory"
    changes: ClassVar[str] = "one program for many, with a further dimension of lanes; fewer programs are launched"
    keeps: ClassVar[Keeps | None] = Keeps.REASSOCIATED

    lanes: int = 32

    def __post_init__(self) -> None:
        if not LEAST <= self.lanes <= MOST or self.lanes & (self.lanes - 1):
            raise UserError(f"lanes={self.lanes}: choose a power of two from {LEAST} to {MOST}")

    def run(self, module: KernelModule, ctx: Context) -> KernelModule:
        """The module with such programs joined; the same object where there are none."""
        return repeated_on_straight_host(module, self._one_joined, ctx)

    def _one_joined(
        self, module: KernelModule, trace: HostTrace, declined: Callable[[Declined], None]
    ) -> KernelModule | None:
        functions = kernel_functions(module)

        def rewrite(launch: HostLaunch, launches: Launches) -> KernelModule | Declined:
            function = self_contained(functions[launch.kernel.symbol], functions)
            made = self._joined(function, launch, launches)
            return made if isinstance(made, Declined) else _launched(module, trace, launch, *made)

        return one_launch_rewritten(module, trace, rewrite, declined)

    def _joined(
        self, function: Function, launch: HostLaunch, launches: Launches
    ) -> tuple[Function, int, tuple[str, int]] | Declined:
        """The kernel, the axis of the grid whose programs are joined, and the option for how many become one."""
        reason = "neighbouring programs do not access neighbours in memory where their own elements lie apart"
        option = fresh_names({_OPTION}, {one.name for one in function.parameters}).get(_OPTION, _OPTION)
        lanes = min(self.lanes, TILE // _block(launch))
        for one in _strided(function):
            axis = one.operands[0].number if isinstance(one.operands[0], Constant) else None
            programs = launch.programs(axis) if isinstance(axis, int) else None
            if not isinstance(axis, int) or programs is None or programs < lanes:
                reason = "host code does not launch a known number of programs, or launches too few"
                continue
            if lanes < LEAST:
                reason = f"its blocks have {_block(launch)} elements, which with lanes for programs are too many"
                continue
            if any((launches.extent(name) or 0) >= INDEX_LIMIT for name in launch.parameters):
                reason = "a tensor is too large for indices of 32 bits"
                continue
            added = [Parameter(option, "tl.constexpr")]
            try:
                made = batched(with_parameters(function, added, function.symbol), axis, programs, option)
            except UnbatchedError as why:
                reason = str(why)
                continue
            return made, axis, (option, lanes)
        return Declined(reason)


def _block(launch: HostLaunch) -> int:
    """The largest number among the launch options of a kernel's own, or the next power of two: some are no blocks."""
    sizes = [v for k, v in launch.kernel.meta if k in launch.constexprs and type(v) is int]
    return 1 << (max([*sizes, 1]) - 1).bit_length()


def _strided(function: Function) -> Iterator[Operation]:
    """The numbers of programs, such that neighbours access neighbours in memory while their own elements lie apart."""
    accesses = Accesses(function)

    def is_strided(access: Access, number: Operation) -> bool:
        index = access.index
        step = index.coefficient(Leaf(number.result)) if index is not None else None
        lanes = [leaf for leaf in index.leaves if leaf.dims] if index is not None else []
        if index is None or step is None or step.constant != 1 or not lanes:
            return False
        steps = [index.coefficient(leaf) for leaf in lanes]
        return all(one is not None and one.constant != 1 for one in steps)

    for one in function.walk():
        if one.kind == "program_id" and any(is_strided(access, one) for access in accesses.all):
            yield one


def _launched(
    module: KernelModule, trace: HostTrace, launch: HostLaunch, made: Function, axis: int, option: tuple[str, int]
) -> KernelModule:
    """The module with the kernel, launched with fewer programs."""
    symbol = launch.kernel.symbol
    module = with_functions(module, {symbol: made})
    kernel = replace(module.kernel(symbol), meta=(*launch.kernel.meta, option))
    module = replace(module, kernels=tuple(kernel if one.symbol == symbol else one for one in module.kernels))
    text = launch.shared_out(axis, option[0]).text(kernel, [launch.given[name] for name in launch.parameters])
    return without_idle_kernels(with_statements(module, trace, {launch.index: [text]}))
