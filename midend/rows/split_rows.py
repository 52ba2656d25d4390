"""`split-rows`: long rows of few programs are reduced in parts by many, and the parts by a second kernel."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import ClassVar

from kernelwright.backend.launch.host_trace import HostTrace
from kernelwright.ir.errors import UserError
from kernelwright.ir.exploration import Exploration, Variant
from kernelwright.ir.kernel.analysis.launches import Launches
from kernelwright.ir.kernel.merging.reading import UnfitError
from kernelwright.ir.kernel.text.inlining import self_contained
from kernelwright.ir.kernel.text.parsing import kernel_functions
from kernelwright.ir.kernel.text.printing import print_function
from kernelwright.ir.kernel.values import Function
from kernelwright.ir.passes import Context, Declined, Keeps, Pass, register
from kernelwright.ir.values import Kernel, KernelModule, Level, Scalar
from kernelwright.midend.analysis.host_code import (
    fresh_names,
    fresh_symbol,
    names_of,
    repeated_on_straight_host,
    with_kernel,
    with_statements,
    without_idle_kernels,
)
from kernelwright.midend.analysis.launches import HostLaunch
from kernelwright.midend.kernel_pass import one_launch_rewritten
from kernelwright.midend.rows.row_parts import RowParts

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
    needs: ClassVar[str] = "a loop that reduces long rows, of which there are too few to fill the device"
    changes: ClassVar[str] = "programs reduce a part of a row each, and a second kernel joins the parts"
    keeps: ClassVar[Keeps | None] = Keeps.REASSOCIATED
    explore = Exploration(variants=(Variant("programs=264"),))

    programs: int = 1056

    def __post_init__(self) -> None:
        if not 2 <= self.programs <= 65536:
            raise UserError(f"programs={self.programs}: choose 2 to 65536")

    def run(self, module: KernelModule, ctx: Context) -> KernelModule:
        """The module with such reductions split; the same object where there is none."""
        return repeated_on_straight_host(module, self._one_split, ctx)

    def _one_split(
        self, module: KernelModule, trace: HostTrace, declined: Callable[[Declined], None]
    ) -> KernelModule | None:
        functions = kernel_functions(module)
        whole = {symbol: self_contained(one, functions) for symbol, one in functions.items()}

        def rewrite(launch: HostLaunch, launches: Launches) -> KernelModule | Declined:
            try:
                return self._split(module, trace, launch, launches, whole)
            except UnfitError as reason:
                return Declined(str(reason))

        return one_launch_rewritten(module, trace, rewrite, declined)

    def _split(
        self,
        module: KernelModule,
        trace: HostTrace,
        launch: HostLaunch,
        launches: Launches,
        whole: Mapping[str, Function],
    ) -> KernelModule:
        counted_by = launch.blocks_of_grid()
        if counted_by is None:
            raise UnfitError("its programs are not counted by blocks of rows alone")
        rows, option = counted_by
        found = RowParts.of(whole[launch.kernel.symbol], launches, whole, rows, option)
        block, step = (dict(launch.kernel.meta)[name] for name in (option, found.step))
        assert isinstance(block, int) and isinstance(step, int)
        have, unit = -(-rows // block), found.unit(LEAST_PART, step)
        parts = min(-(-self.programs // have), found.row // unit) if 4 * have <= self.programs else 1
        if parts < 2:
            raise UnfitError("it has programs enough, or its rows are short")
        found = replace(found, size=-(-found.row // parts // unit) * unit)
        return _launched(module, trace, launch, found)


def _launched(module: KernelModule, trace: HostTrace, launch: HostLaunch, rows: RowParts) -> KernelModule:
    """The module with two launches in the place of one, and tensors for the parts between them."""
    symbol = launch.kernel.symbol
    wanted = [f"{name}_parts_ptr" for name in rows.names]
    renamed = fresh_names(set(wanted), {*launch.parameters, *launch.constexprs})
    pointers = [renamed.get(name, name) for name in wanted]
    first = _kernel(launch, rows.in_parts(fresh_symbol(module, f"{symbol}_parts"), pointers), dict(launch.kernel.meta))
    module = with_kernel(module, first)
    joining = rows.joined(fresh_symbol(module, f"{symbol}_whole"), pointers)
    second = _kernel(launch, joining, rows.meta(dict(launch.kernel.meta)))
    module = with_kernel(module, second)
    wanted = [f"parts_{name}" for name in rows.names]
    renamed = fresh_names(set(wanted), names_of(module))
    buffers = [renamed.get(name, name) for name in wanted]
    device = trace.code.parameters[0]
    lines = [
        f"{one} = torch.empty_strided({(rows.rows, rows.parts)}, ({rows.parts}, 1), device={device}.device, "
        f"dtype={dtype.replace('tl.', 'torch.', 1)})"
        for one, dtype in zip(buffers, rows.dtypes, strict=True)
    ]
    given = launch.given | dict(zip(pointers, buffers, strict=True))
    functions = kernel_functions(module)
    for kernel, grid in ((first, f", {rows.parts}"), (second, ",")):
        names = [one.name for one in functions[kernel.symbol].parameters if not one.is_constexpr]
        text = f"triton.cdiv({rows.rows}, {kernel.meta_name}['{rows.option}']){grid}"
        lines.append(f"{kernel.symbol}[{text}]({', '.join([*(given[n] for n in names), f'**{kernel.meta_name}'])})")
    return without_idle_kernels(with_statements(module, trace, {launch.index: lines}))


def _kernel(launch: HostLaunch, function: Function, meta: Mapping[str, Scalar]) -> Kernel:
    """The kernel with those of the launch options that it has."""
    names = {one.name for one in function.parameters}
    options = tuple((k, v) for k, v in meta.items() if k in names or k not in launch.constexprs)
    return replace(launch.kernel, symbol=function.symbol, source=print_function(function), meta=options)
