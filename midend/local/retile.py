"""`retile`: launch options that are said, where `tune` looks for them."""

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import ClassVar

from kernelwright.backend.tuning.blocks import KernelBlocks
from kernelwright.backend.tuning.space import ConfigSpace, Meta, space_of
from kernelwright.ir.errors import UserError
from kernelwright.ir.exploration import Exploration, Phase
from kernelwright.ir.passes import Context, Pass, register
from kernelwright.ir.values import Kernel, KernelModule, Level


@register
@dataclass(frozen=True)
class Retile(Pass):
    """Set block sizes and warps of kernels, each to the nearest value that `tune` allows.

    block: elements of a program (XBLOCK) of kernels that reduce nothing. rows: rows of a program (XBLOCK) of kernels
    that reduce rows; step: elements of a row that a round of their loop takes (R0_BLOCK). warps: of every kernel.
    0 leaves an option as it is. Kernels of matrix products stay as they are.

    Legal as far as names tell: up to the sizes for which Inductor leaves masks out. `tune` looks into the compiled
    kernel as well.
    """

    name: ClassVar[str] = "retile"
    reads: ClassVar[Level] = Level.TRITON
    writes: ClassVar[Level] = Level.TRITON
    explore = Exploration(Phase.FIT)

    block: int = 0
    rows: int = 0
    step: int = 0
    warps: int = 0

    def __post_init__(self) -> None:
        for name in ("block", "rows", "step", "warps"):
            value = getattr(self, name)
            if value < 0 or value & (value - 1):
                raise UserError(f"{name}={value}: give a power of two, or 0 to leave it as it is")

    def run(self, module: KernelModule, ctx: Context) -> KernelModule:  # noqa: ARG002
        """The module with other launch options; the same object where nothing changes."""
        if module.launcher is None:
            return module
        kernels = tuple(self._fitted(module, kernel) if kernel.meta else kernel for kernel in module.kernels)
        return module if kernels == module.kernels else replace(module, kernels=kernels)

    def _fitted(self, module: KernelModule, kernel: Kernel) -> Kernel:
        combines = KernelBlocks(module, kernel.symbol).combines
        wanted = {"XBLOCK": self.rows if combines else self.block, "R0_BLOCK": self.step, "num_warps": self.warps}
        space = space_of(module, kernel.symbol, 1, frozenset())
        names = {name for name, _ in space.choices}
        asked = {name: value for name, value in wanted.items() if value and name in names}
        if space.products or not asked:
            return kernel
        narrow = replace(space, choices=tuple(choice for choice in space.choices if choice[0] in asked))
        meta = min(_sensible(narrow), key=lambda meta: (_distance(meta, asked, space.start), str(meta)))
        return replace(kernel, meta=meta)


def _sensible(space: ConfigSpace) -> Iterator[Meta]:
    yield space.start
    yield from space.all()


def _distance(meta: Meta, asked: dict[str, int], start: Meta) -> tuple[float, float]:
    """How far options are from what is asked for, and then from what they were, in powers of two."""
    values, given = dict(meta), dict(start)
    far = math.fsum(_steps(values[name], size) for name, size in asked.items())
    moved = math.fsum(_steps(values[name], given[name]) for name in values if type(values[name]) is int)
    return far, moved


def _steps(one: object, other: object) -> float:
    """Between two sizes, of which none is 0."""
    assert isinstance(one, int) and isinstance(other, int)
    return abs(math.log2(one / other)) if one > 0 and other > 0 else 0.0
