"""`depthwise-conv`: depthwise convolutions without a library."""

from dataclasses import dataclass
from typing import ClassVar

from kernelwright.ir.errors import UserError
from kernelwright.ir.exploration import Exploration, Phase, Variant
from kernelwright.ir.passes import Context, Pass, register
from kernelwright.ir.values import KernelModule, Level
from kernelwright.midend.templates.convolution import replace_convolutions
from kernelwright.midend.templates.depthwise import depthwise_template


@register
@dataclass(frozen=True)
class DepthwiseConv(Pass):
    """Compute depthwise convolutions in a special kernel: unrolled taps, and pixels loaded once for several rows.

    rows: output rows of a lane (0: chosen). Legal for 1 to 3 axes, every stride, padding and dilation, several outputs
    a channel, up to 64 taps, in fp32, fp16 and bf16; sums are IEEE fp32. Neighbouring lanes lie along x, so it wants
    `lower-inductor{channels_last=false}` before it. Expected, not measured: near the memory floor, where libraries are
    up to 50 times above it.
    """

    name: ClassVar[str] = "depthwise-conv"
    reads: ClassVar[Level] = Level.TRITON
    writes: ClassVar[Level] = Level.TRITON
    explore = Exploration(Phase.TEMPLATE, after=("diagonal-products",), variants=(Variant("rows=1"), Variant("rows=8")))

    rows: int = 0

    def __post_init__(self) -> None:
        if not 0 <= self.rows <= 16:
            raise UserError(f"rows={self.rows}: choose 1 to 16, or 0 to choose by the kernel's size")

    def run(self, module: KernelModule, ctx: Context) -> KernelModule:  # noqa: ARG002
        """The module with such kernels; the same object where there is no such convolution."""
        return replace_convolutions(module, lambda convolution: depthwise_template(convolution, self.rows))
