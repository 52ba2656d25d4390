"""`lower-inductor`: Inductor's own lowering as a pass, and the variants of it that can be asked for."""

from contextlib import nullcontext
from dataclasses import dataclass
from typing import Any, ClassVar

import torch

from kernelwright.backend.reference import ReferenceProgram, tensor_at
from kernelwright.backend.targets import get_target
from kernelwright.frontend.algebra import drop_places, reassociate
from kernelwright.ir.errors import LoweringError
from kernelwright.ir.passes import Context, Pass, register
from kernelwright.ir.values import KernelModule, Level, Reference


@register
@dataclass(frozen=True)
class LowerInductor(Pass):
    """Lower the reference with Inductor and normalise what it prints into plain Triton.

    persistent: keep a reduction's row in one block where it fits. split: reduce large rows in two kernels.
    cooperative: reduce large rows by programs that meet at a grid barrier (needs a GPU). tiles: how many
    axes a pointwise kernel may be tiled over (0: Inductor decides). tile_reductions: tile reductions over
    two axes. online_softmax: one pass for maximum and sum. fuse: fuse kernels. channels_last: let Inductor
    change the layout of convolutions. every_conv: have all of them work on channels last, and leave outputs so.
    reassociate: average before products and convolutions instead of after them (`frontend/algebra`), so that results
    are rounded otherwise; programs without such averages are refused.
    device: where to lower (meta: nowhere, by shapes alone; auto: what the context's option `lowering_device` says, else
    a GPU if there is one). keep: leave a module that has kernels already, as an agent's, as it is.
    """

    name: ClassVar[str] = "lower-inductor"
    reads: ClassVar[Level] = Level.TORCH
    writes: ClassVar[Level] = Level.TRITON

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
    device: str = "auto"
    keep: bool = False

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
            "post_grad_custom_pre_pass": _reassociated if self.reassociate else drop_places,
        }
        if self.tiles:
            options["triton.max_tiles"] = self.tiles
        if not self.fuse:
            options |= {"max_fusion_size": 1, "epilogue_fusion": False}
        return options

    def run(self, module: KernelModule, ctx: Context) -> KernelModule:
        """Lower at the reference's shapes. Raises LoweringError for what cannot be expressed, and
        UnsupportedVersionError where torch or Triton lacks what lowering needs."""
        if self.keep and module.launcher is not None:
            return module
        # Where a release of torch or Triton lacks what these need, other passes stay.
        from kernelwright.frontend.inductor.capture import capture
        from kernelwright.frontend.inductor.module_text import ModuleBuilder

        cuda = torch.cuda.is_available() and ctx.target != "interpreter"
        here = ctx.options.get("lowering_device", "cuda" if cuda else "cpu")
        device = self.device if self.device != "auto" else here
        program = ReferenceProgram.load(module.reference)
        with torch.device("meta") if device == "meta" else nullcontext():
            model = program.build(ctx.seed, device)
        inputs = program.inputs(ctx.seed, device)
        tensors = _named_tensors(module.reference, model, inputs)
        captured = capture(model, inputs, tensors, self.config())
        return ModuleBuilder(module, captured, get_target(ctx.target)).build()


def _reassociated(graph: torch.fx.Graph) -> None:
    drop_places(graph)
    if not reassociate(graph):
        raise LoweringError(
            "nothing to reassociate: the program takes no average after a product or a convolution, "
            "and none with a variance"
        )


def _named_tensors(reference: Reference, model: torch.nn.Module, inputs: list[Any]) -> dict[str, torch.Tensor]:
    values = zip(reference.inputs, inputs, strict=True)
    named = {spec.name: value for spec, value in values if isinstance(value, torch.Tensor)}
    held = {spec.tensor.name: tensor_at(model, spec.path) for spec in reference.state}
    return named | {name: tensor for name, tensor in held.items() if tensor is not None}
