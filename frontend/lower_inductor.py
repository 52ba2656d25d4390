"""`lower-inductor`: Inductor's own lowering as a pass, and the variants of it that can be asked for."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from kernelwright.ir.errors import UserError
from kernelwright.ir.exploration import Exploration, Phase, Variant
from kernelwright.ir.passes import Context, Pass, register
from kernelwright.ir.values import KernelModule, Level

if TYPE_CHECKING:  # options of passes are read without torch
    from kernelwright.frontend.inductor.module_text import ModuleBuilder


@register
@dataclass(frozen=True)
class LowerInductor(Pass):
    """Lower the reference with Inductor, and normalise Inductor's output to plain Triton.

    persistent: keep a reduction's row in one block where it fits. split: reduce large rows in two kernels.
    cooperative: reduce large rows by programs that meet at a grid barrier (needs a GPU). tiles: how many
    axes a pointwise kernel may be tiled over (0: Inductor decides). tile_reductions: tile reductions over
    two axes. online_softmax: one pass for maximum and sum. fuse: fuse kernels. channels_last: let Inductor
    change the layout of convolutions. every_conv: have all of them work on channels last, and leave outputs so.
    reassociate: average before products and convolutions instead of after them (`frontend/algebra`), so that results
    are rounded otherwise; programs without such averages are refused.
    written_out: write products and convolutions out as sums, so that kernels compute them and nothing calls a library;
    slow for large ones.
    rounded: round to 16 bits where the program does, also inside a kernel; else a kernel rounds only what it stores, as
    in torch.compile.
    choice: which of the configurations that Inductor would measure a kernel with, from 1 on; a kernel that has fewer
    takes its last (0: for each what is likely the best).
    device: where to lower (meta: nowhere, by shapes alone; auto: what the context's `lowering_device` says, else a GPU
    if there is one). keep: leave a module that has kernels already, as an agent's, as it is.
    """

    name: ClassVar[str] = "lower-inductor"
    reads: ClassVar[Level] = Level.TORCH
    writes: ClassVar[Level] = Level.TRITON
    explore = Exploration(
        Phase.LOWERING,
        choice="choice",
        variants=(
            Variant("channels_last=false"),
            Variant("persistent=false"),
            Variant("channels_last=false,persistent=false"),
            Variant("every_conv=true"),
            Variant("every_conv=true,persistent=false"),
            Variant("every_conv=true,persistent=false,split=false,online_softmax=false", prepared=True),
            Variant("split=false"),
            Variant("persistent=false,split=false"),
            Variant("tile_reductions=true"),
            Variant("tiles=1"),
            Variant("tiles=3"),
            Variant("online_softmax=false"),
            Variant("persistent=false,online_softmax=false"),
            # What is left of programs with averages to move is little more than convolutions and reductions.
            Variant("reassociate=true"),
            Variant("channels_last=false,reassociate=true", given="reassociate=true"),
            Variant("every_conv=true,reassociate=true", given="reassociate=true"),
            Variant("every_conv=true,persistent=false,reassociate=true", given="reassociate=true"),
            Variant(
                "every_conv=true,persistent=false,split=false,online_softmax=false,reassociate=true",
                given="reassociate=true",
                prepared=True,
            ),
            Variant("persistent=false,split=false,reassociate=true", given="reassociate=true"),
        ),
    )

    persistent: bool = True
    split: bool = True
    cooperative: bool = False
    tiles: int = 0
    tile_reductions: bool = False
    online_softmax: bool = True
    fuse: bool = True
    channels_last: bool = True
    every_conv: bool = False
    reassociate: bool = False
    written_out: bool = False
    rounded: bool = True
    choice: int = 0
    device: str = "auto"
    keep: bool = False

    def __post_init__(self) -> None:
        if self.choice < 0:
            raise UserError(f"choice={self.choice}: give a number from 1 on, or 0 for what is likely the best")

    def config(self) -> dict[str, Any]:
        """The Inductor options that this variant sets."""
        options: dict[str, Any] = {
            "triton.persistent_reductions": self.persistent,
            "split_reductions": self.split and not self.cooperative,
            "triton.cooperative_reductions": self.cooperative,
            "triton.force_cooperative_reductions": self.cooperative,
            "online_softmax": self.online_softmax,
            "layout_optimization": self.channels_last or self.every_conv,
            "force_layout_optimization": self.every_conv,
            "triton.prefer_nd_tiling": self.tile_reductions,
            "triton.tile_reductions": self.tile_reductions,
        }
        if self.tiles:
            options["triton.max_tiles"] = self.tiles
        if self.written_out:
            options["unroll_reductions_threshold"] = 1  # short sums read like long ones
        if not self.rounded:
            options["emulate_precision_casts"] = False
        if not self.fuse:
            options |= {"max_fusion_size": 1, "epilogue_fusion": False}
        return options

    def run(self, module: KernelModule, ctx: Context) -> KernelModule:
        """Lower at the reference's shapes. Raises LoweringError for what cannot be expressed, and
        UnsupportedVersionError where torch or Triton lacks what lowering needs."""
        if self.keep and module.launcher is not None:
            return module
        return self.builder(module, ctx).build()

    def builder(self, module: KernelModule, ctx: Context) -> "ModuleBuilder":
        """A builder that has captured Inductor's program for the module's reference. Raises as `run` does."""
        from kernelwright.frontend.inductor.lowering import builder  # late: options of passes are read without torch

        return builder(
            module,
            ctx,
            self.config(),
            self.device,
            averages_first=self.reassociate,
            written_out=self.written_out,
            choice=self.choice,
        )
