"""`depthwise-conv`: depthwise convolutions without a library."""

from dataclasses import dataclass
from typing import ClassVar

from kernelwright.ir.errors import UserError
from kernelwright.ir.exploration import Exploration, Phase, Variant
from kernelwright.ir.passes import Context, Pass, register
from kernelwright.ir.values import KernelModule, Level
from kernelwright.midend.templates.convolution import Convolution, Template, replace_convolutions
from kernelwright.midend.templates.depthwise import depthwise_template
from kernelwright.midend.templates.depthwise_last import depthwise_last_template
from kernelwright.midend.templates.depthwise_sliding import sliding_template

VARIANTS = (Variant("columns=2"), Variant("rows=8"))
#: The largest values of the options.
MOST = {"rows": 64, "columns": 16}


@register
@dataclass(frozen=True)
class DepthwiseConv(Pass):
    """Compute depthwise convolutions in a special kernel: unrolled taps, and pixels loaded once for several outputs.

    rows: output rows of a lane (0: chosen). columns: outputs of a lane along x where lanes lie along channels, which is
    where the channels of x and of the result lie last; else it has one (0: chosen). A kernel too large has fewer. Such
    lanes slide down their rows if these are neither strided nor dilated, so that they may have many.

    Legal for 1 to 3 axes, every stride, padding and dilation, several outputs a channel, up to 64 taps, in fp32, fp16
    and bf16; sums are IEEE fp32. Weights are read where they lie. Neighbouring lanes lie along x where channels of x or
    of the result do not lie last, so that what lies otherwise is read or written slowly: inputs whose channels lie
    first want `lower-inductor{channels_last=false}` before it, others any lowering that leaves them as they are, which
    for sequences is `lower-inductor{every_conv=true}`. Expected, not measured: near the memory floor with few taps.
    """

    name: ClassVar[str] = "depthwise-conv"
    reads: ClassVar[Level] = Level.TRITON
    writes: ClassVar[Level] = Level.TRITON
    explore = Exploration(Phase.TEMPLATE, after=("diagonal-products",), variants=VARIANTS)

    rows: int = 0
    columns: int = 0

    def __post_init__(self) -> None:
        for name, value in (("rows", self.rows), ("columns", self.columns)):
            if not 0 <= value <= MOST[name]:
                raise UserError(f"{name}={value}: choose 1 to {MOST[name]}, or 0 to choose by the tensors' sizes")

    def run(self, module: KernelModule, ctx: Context) -> KernelModule:  # noqa: ARG002
        """The module with such kernels; the same object where there is no such convolution."""
        return replace_convolutions(module, self._template)

    def _template(self, convolution: Convolution) -> Template | None:
        for template in (sliding_template, depthwise_last_template):
            if (found := template(convolution, self.rows, self.columns)) is not None:
                return found
        return depthwise_template(convolution, self.rows)
