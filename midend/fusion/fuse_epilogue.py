"""`fuse-epilogue`: what a kernel does with another's result by element, or by row, is done before that is stored."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import ClassVar

from kernelwright.backend.launch.facts import launch_facts
from kernelwright.backend.launch.host_trace import HostTrace
from kernelwright.ir.exploration import Exploration, Phase
from kernelwright.ir.kernel.counting import counted
from kernelwright.ir.kernel.merging.merged import merged
from kernelwright.ir.kernel.merging.reading import Part, Tensor, UnfitError, reduces
from kernelwright.ir.kernel.text.inlining import inlined
from kernelwright.ir.kernel.text.parsing import kernel_functions
from kernelwright.ir.kernel.text.printing import print_function
from kernelwright.ir.kernel.values import Function
from kernelwright.ir.passes import Context, Declined, Pass, register
from kernelwright.ir.values import DTYPES, Kernel, KernelModule, Level, Scalar
from kernelwright.midend.analysis.hand_overs import HandOver, hand_overs
from kernelwright.midend.analysis.host_code import fresh_names, fresh_symbol, repeated_on_straight_host
from kernelwright.midend.analysis.launches import HostLaunch
from kernelwright.midend.fusion.tile_pairs import TilePair
from kernelwright.midend.kernel_pass import NOT_KNOWN
from kernelwright.midend.rows.row_blocks import RowLoops, WholeRows


@register
@dataclass(frozen=True)
class FuseEpilogue(Pass):
    """Fuse a kernel that reads a result by element or by pixel into the kernel that stores this result.

    Legal where the first kernel stores that tensor outside of loops, the tensor has no gaps, and nothing between the
    two launches touches what either uses. A kernel that works by element reads the whole tensor, in the order of
    memory, or in any order where the first is a convolution's template, and nobody else does. A kernel that works by
    pixel is fused into a template of one group, whose tiles then have all channels, at most 128: it reduces them to
    sums, minima or maxima, in one block or in a loop, works element by element beside that, and stores a number or all
    channels of a pixel. There the tensor is stored if somebody reads it later, and sums are taken in another order.
    The value is rounded to the tensor's type as before. Expected, not measured: saves writing and reading the tensor
    once, and a launch.
    """

    name: ClassVar[str] = "fuse-epilogue"
    reads: ClassVar[Level] = Level.TRITON
    writes: ClassVar[Level] = Level.TRITON
    explore = Exploration(Phase.FINISH, after=("fuse-flip",))

    def run(self, module: KernelModule, ctx: Context) -> KernelModule:
        """The module with as few kernels as that makes; the same object where nothing can be fused."""
        return pairs_fused(module, _one_kernel, ctx)


def _one_kernel(pair: HandOver) -> KernelModule:
    tiles = TilePair(pair.module, pair.trace, pair.first, pair.second, pair.parameter, pair.tensor)
    return tiles.made() if tiles.is_legal() else fused(pair)


def pairs_fused(module: KernelModule, fuse: Callable[[HandOver], KernelModule], ctx: Context) -> KernelModule:
    """The module after `fuse` has merged all pairs of kernels that it can. For other pairs, `fuse` raises UnfitError
    with the reason."""

    def step(module: KernelModule, trace: HostTrace, declined: Callable[[Declined], None]) -> KernelModule | None:
        said: list[Declined] = []
        for pair in hand_overs(module, trace, said.append):
            try:
                return fuse(pair)
            except UnfitError as reason:
                said.append(Declined(str(reason), pair.symbols))
        for why in said or [Declined("no kernel reads what another one stores")]:
            declined(why)
        return None

    return repeated_on_straight_host(module, step, ctx)


def fused(pair: HandOver) -> KernelModule:
    """The module with one kernel in the place of two.

    Raises UnfitError where the second works neither by element nor by row on what the first has.
    """
    one, other, tensor = part_of(pair, pair.first), second_part(pair), tensor_of(pair)
    keep = pair.is_kept()
    if keep and not reduces(other.function):
        raise UnfitError("others read the tensor, which is then written all the same")
    names, options = _names(pair, other.function)
    symbol = fresh_symbol(pair.module, f"{pair.first.kernel.symbol}_{pair.second.kernel.symbol}")
    reasons = []
    for form in forms(other):
        try:
            made = merged(one, form, tensor, names, symbol, keep=keep)
        except UnfitError as reason:
            reasons.append(str(reason))
            continue
        return _launched(pair, made, names, options)
    raise UnfitError("; ".join(reasons))


def tensor_of(pair: HandOver) -> Tensor:
    """The tensor that is handed over."""
    spec = pair.spec()
    assert spec is not None
    return Tensor(pair.parameter, pair.read_as, spec.numel, DTYPES[spec.dtype][0])


def second_part(pair: HandOver) -> Part:
    """The second kernel as it is launched."""
    return part_of(pair, pair.second)


def part_of(pair: HandOver, launch: HostLaunch) -> Part:
    """One of the two kernels as it is launched."""
    functions, symbol = kernel_functions(pair.module), launch.kernel.symbol
    blocks = {name: value for name, value in launch.kernel.meta if type(value) is int}
    known = launch_facts(pair.module).get(symbol)
    if known is None:
        raise UnfitError(NOT_KNOWN)
    return Part(counted(inlined(functions[symbol], functions)), known, blocks)


def forms(second: Part) -> Iterator[Part]:
    """The second kernel as it is, and with whole rows where it loops over rows."""
    yield second
    rows = RowLoops.of(second.function, second.launches)
    if isinstance(rows, Declined):
        return
    whole = WholeRows.of(rows.whole, second.launches, rows.length, rows.block)
    # Where blocks filled rows, nothing had to be neutral beyond the end of one.
    if whole.is_masked() and (rows.length % second.blocks.get(rows.parameter, 1) or whole.is_neutral()):
        yield replace(second, function=rows.whole)


def _names(pair: HandOver, second: Function) -> tuple[dict[str, str], dict[str, Scalar]]:
    """What the second kernel's parameters are called in the first, and the launch options that come with them."""
    own = {text: name for name, text in pair.first.given.items() if name != pair.parameter}
    taken = {*pair.first.parameters, *pair.first.constexprs, *(kernel.symbol for kernel in pair.module.kernels)}
    rest = {one.name for one in second.parameters if one.name != pair.read_as}
    shared = {name: own[text] for name, text in pair.second.given.items() if text in own and name in rest}
    renamed = fresh_names(rest - set(shared), taken)
    names = {name: shared.get(name, renamed.get(name, name)) for name in sorted(rest)}
    meta = dict(pair.second.kernel.meta)
    return names, {names[name]: meta[name] for name in pair.second.constexprs if name in names}


def _launched(pair: HandOver, made: Function, names: dict[str, str], options: dict[str, Scalar]) -> KernelModule:
    """The module with the kernel in the place of both."""
    given = {names[name]: text for name, text in pair.second.given.items() if name in names} | pair.first.given
    parameters = [one.name for one in made.parameters]
    kernels = (pair.first.kernel, pair.second.kernel)
    covers = tuple(dict.fromkeys(cover for kernel in kernels for cover in kernel.covers))
    meta = (*pair.first.kernel.meta, *((name, value) for name, value in options.items() if name in parameters))
    kernel = Kernel(made.symbol, print_function(made), meta, covers)
    return pair.fused(kernel, [given[one.name] for one in made.parameters if not one.is_constexpr])
