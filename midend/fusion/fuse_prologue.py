"""`fuse-prologue`: what a kernel computes by element is computed where the next kernel loads it."""

from dataclasses import dataclass
from typing import ClassVar

from kernelwright.ir.exploration import Exploration, Phase
from kernelwright.ir.kernel.merging.reading import UnfitError
from kernelwright.ir.kernel.merging.recomputed import recomputed
from kernelwright.ir.kernel.text.printing import print_function
from kernelwright.ir.passes import Context, Keeps, Pass, register
from kernelwright.ir.values import Kernel, KernelModule, Level, Scalar
from kernelwright.midend.analysis.hand_overs import HandOver
from kernelwright.midend.analysis.host_code import fresh_names, fresh_symbol
from kernelwright.midend.fusion.fuse_epilogue import forms, pairs_fused, part_of, second_part, tensor_of


@register
@dataclass(frozen=True)
class FusePrologue(Pass):
    """Fuse a kernel that stores a number for each element into the kernel that loads each of these once.

    Legal where the first kernel only loads, computes by element and stores in the order of memory, the tensor has no
    gaps, and nothing between the two launches touches what either uses. The second kernel may reduce rows, which
    `fuse-epilogue` needs the first one to hold. The tensor is stored if somebody reads it later. The value is rounded
    to the tensor's type as before. Expected, not measured: saves writing and reading the tensor once, and a launch.
    """

    name: ClassVar[str] = "fuse-prologue"
    reads: ClassVar[Level] = Level.TRITON
    writes: ClassVar[Level] = Level.TRITON
    needs: ClassVar[str] = "a kernel that computes by element, and a later one that loads each of its results once"
    changes: ClassVar[str] = "one kernel computes what it loaded; the tensor between them goes, or is only stored"
    keeps: ClassVar[Keeps | None] = Keeps.CONTRACTED
    explore = Exploration(Phase.FINISH, after=("fuse-epilogue",))

    def run(self, module: KernelModule, ctx: Context) -> KernelModule:
        """The module with as few kernels as that makes; the same object where nothing can be fused."""
        return pairs_fused(module, _fused, ctx)


def _fused(pair: HandOver) -> KernelModule:
    """The module with one kernel in the place of two."""
    one, other, tensor, keep = part_of(pair, pair.first), second_part(pair), tensor_of(pair), pair.is_kept()
    names, options = _names(pair)
    symbol = fresh_symbol(pair.module, f"{pair.first.kernel.symbol}_{pair.second.kernel.symbol}")
    reasons = []
    for form in forms(other):
        try:
            made = recomputed(one, form, tensor, names, symbol, keep=keep)
        except UnfitError as reason:
            reasons.append(str(reason))
            continue
        given = {names[name]: text for name, text in pair.first.given.items() if name in names} | pair.second.given
        kernels = (pair.first.kernel, pair.second.kernel)
        covers = tuple(dict.fromkeys(cover for kernel in kernels for cover in kernel.covers))
        parameters = [parameter.name for parameter in made.parameters]
        meta = (*pair.second.kernel.meta, *((name, value) for name, value in options.items() if name in parameters))
        kernel = Kernel(symbol, print_function(made), meta, covers)
        arguments = [given[parameter.name] for parameter in made.parameters if not parameter.is_constexpr]
        return pair.fused(kernel, arguments, grid_of=pair.second)
    raise UnfitError("; ".join(dict.fromkeys(reasons)))


def _names(pair: HandOver) -> tuple[dict[str, str], dict[str, Scalar]]:
    """What the first kernel's parameters are called in the second, and the launch options that come with them."""
    first, second = pair.first, pair.second
    own = {text: name for name, text in second.given.items() if name != pair.read_as}
    taken = {*second.parameters, *second.constexprs, *(kernel.symbol for kernel in pair.module.kernels)}
    rest = {name for name in (*first.parameters, *first.constexprs) if name != pair.parameter}
    shared = {name: own[text] for name, text in first.given.items() if text in own and name in rest}
    renamed = fresh_names(rest - set(shared), taken)
    names = {name: shared.get(name, renamed.get(name, name)) for name in sorted(rest)}
    meta = dict(first.kernel.meta)
    return names, {names[name]: meta[name] for name in first.constexprs if name in meta}
