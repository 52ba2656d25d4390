"""Two kernels, one of which hands a tensor to the other, made one kernel with one launch.

The passes say how the kernels become one; here are their pairs, what is known of both, and the launch.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace

from kernelwright.backend.launch.host_trace import HostTrace
from kernelwright.ir.kernel.merging.reading import Part, Tensor, UnfitError
from kernelwright.ir.kernel.text.printing import print_function
from kernelwright.ir.kernel.values import Function
from kernelwright.ir.passes import Context, Declined
from kernelwright.ir.values import DTYPES, Kernel, KernelModule
from kernelwright.midend.analysis.hand_overs import HandOver, hand_overs
from kernelwright.midend.analysis.host_code import fresh_names, fresh_symbol, repeated_on_straight_host
from kernelwright.midend.analysis.launches import HostLaunch
from kernelwright.midend.kernel_pass import part_of
from kernelwright.midend.rows.row_blocks import RowLoops, WholeRows

#: Makes one kernel of a form of the second one: with the names that the parameters of the kernel whose launch goes get,
#: and the kernel's symbol. Raises UnfitError where that form does not fit.
Merge = Callable[[Part, Mapping[str, str], str], Function]


def pairs_fused(module: KernelModule, fuse: Callable[[HandOver], KernelModule], ctx: Context) -> KernelModule:
    """The module after `fuse` has merged all pairs of kernels that it can. For other pairs, `fuse` raises UnfitError
    with the reason."""

    def step(module: KernelModule, trace: HostTrace, declined: Callable[[Declined], None]) -> KernelModule | None:
        said: list[Declined] = []
        return one_fused(hand_overs(module, trace, said.append), fuse, declined, said)

    return repeated_on_straight_host(module, step, ctx)


def one_fused(
    pairs: Iterable[HandOver],
    fuse: Callable[[HandOver], KernelModule],
    declined: Callable[[Declined], None],
    said: list[Declined],
) -> KernelModule | None:
    """The module after `fuse` has merged the first of the pairs that it can; None where there is none. `declined` then
    gets what was `said` already, and the reason against each pair."""
    for pair in pairs:
        try:
            return fuse(pair)
        except UnfitError as reason:
            said.append(Declined(str(reason), pair.symbols))
    for why in said or [Declined("no kernel reads what another one stores")]:
        declined(why)
    return None


def joined(pair: HandOver, host: HostLaunch, second: Part, merge: Merge) -> KernelModule:
    """The module with one kernel, launched as `host` was, in the place of two: of the first form of the second that
    `merge` takes. Raises UnfitError, with the reason of each form, where it takes none."""
    guest = pair.second if host is pair.first else pair.first
    names = _names(pair, host, guest)
    symbol = fresh_symbol(pair.module, f"{pair.first.kernel.symbol}_{pair.second.kernel.symbol}")
    reasons = []
    for form in forms(second):
        try:
            made = merge(form, names, symbol)
        except UnfitError as reason:
            reasons.append(str(reason))
            continue
        return _launched(pair, host, guest, made, names)
    raise UnfitError("; ".join(dict.fromkeys(reasons)))


def _names(pair: HandOver, host: HostLaunch, guest: HostLaunch) -> dict[str, str]:
    """What the guest's parameters are called in the host's kernel."""
    handed = {id(pair.first): pair.parameter, id(pair.second): pair.read_as}
    own = {text: name for name, text in host.given.items() if name != handed[id(host)]}
    taken = {*host.parameters, *host.constexprs, *(kernel.symbol for kernel in pair.module.kernels)}
    rest = {name for name in (*guest.parameters, *guest.constexprs) if name != handed[id(guest)]}
    shared = {name: own[text] for name, text in guest.given.items() if text in own and name in rest}
    renamed = fresh_names(rest - set(shared), taken)
    return {name: shared.get(name, renamed.get(name, name)) for name in sorted(rest)}


def _launched(
    pair: HandOver, host: HostLaunch, guest: HostLaunch, made: Function, names: Mapping[str, str]
) -> KernelModule:
    """The module with the kernel in the place of both, with the host's grid and both's options, those left out that
    the kernel takes no longer: a whole row needs no block of its length."""
    given = {names[name]: text for name, text in guest.given.items() if name in names} | host.given
    parameters = [one.name for one in made.parameters]
    kernels = (pair.first.kernel, pair.second.kernel)
    covers = tuple(dict.fromkeys(cover for kernel in kernels for cover in kernel.covers))
    chosen = dict(guest.kernel.meta)
    options = ((names[name], chosen[name]) for name in guest.constexprs if name in chosen)
    gone = set(host.constexprs) - set(parameters)
    if gone & host.grid_options:
        raise UnfitError("the grid is worked out from a block that the kernel has no longer")
    own = ((name, value) for name, value in host.kernel.meta if name not in gone)
    meta = (*own, *((name, value) for name, value in options if name in parameters))
    kernel = Kernel(made.symbol, print_function(made), meta, covers)
    return pair.fused(kernel, [given[one.name] for one in made.parameters if not one.is_constexpr], grid_of=host)


def tensor_of(pair: HandOver) -> Tensor:
    """The tensor that is handed over."""
    spec = pair.spec()
    assert spec is not None
    return Tensor(pair.parameter, pair.read_as, spec.numel, DTYPES[spec.dtype][0])


def second_part(pair: HandOver) -> Part:
    """The second kernel as it is launched."""
    return part_of(pair.module, pair.second)


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
