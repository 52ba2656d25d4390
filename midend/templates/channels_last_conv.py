"""`channels-last-conv`: convolutions of tensors whose channels lie last, without a library."""

from dataclasses import dataclass
from typing import ClassVar

from kernelwright.ir.errors import check_choice
from kernelwright.ir.exploration import Exploration, Phase, Variant
from kernelwright.ir.passes import Context, Pass, register
from kernelwright.ir.values import KernelModule, Level
from kernelwright.midend.templates.channels_last import channels_last_template
from kernelwright.midend.templates.convolution import precision_of, replace_convolutions

#: What fp32 may be multiplied as.
PRECISIONS = ("reference", "tf32x3")


@register
@dataclass(frozen=True)
class ChannelsLastConv(Pass):
    """Compute convolutions as products of lines of taps, in a kernel that can take an epilogue.

    Legal for 1 to 3 axes, every stride, padding and dilation, transposed or not, one group, in fp32, fp16 and bf16,
    where the pixels that taps meet along x lie side by side, which a dilation along x leaves so only if it divides the
    stride of a transposed one, and channels lie last: it wants
    `lower-inductor{every_conv=true}` before it. A weight whose channels lie last is read where it lies, but that of a
    transposed one in fp32 is copied.

    wide: of transposed convolutions, and of no others, whose taps are a multiple of their stride along each axis, the
    phases are columns of one product: pixels are read once for all of them.
    precision: of fp32 products: reference, which is TF32 where the reference's numerics let convolutions use it, else
    IEEE fp32; or tf32x3, in which tensor cores multiply parts in TF32 with the error of fp32.
    """

    name: ClassVar[str] = "channels-last-conv"
    reads: ClassVar[Level] = Level.TRITON
    writes: ClassVar[Level] = Level.TRITON
    # Where averages were taken before convolutions, TF32 rounds each number that was averaged otherwise, but an average
    # once; what is left of the products costs little.
    explore = Exploration(
        Phase.TEMPLATE,
        after=("transposed-conv",),
        variants=(Variant("wide=true"), Variant("precision=tf32x3", given="reassociate=true")),
    )

    wide: bool = False
    precision: str = "reference"

    def __post_init__(self) -> None:
        check_choice("precision", self.precision, PRECISIONS)

    def run(self, module: KernelModule, ctx: Context) -> KernelModule:  # noqa: ARG002
        """The module with such kernels; the same object where there is no such convolution."""
        precision = precision_of(module) if self.precision == "reference" else self.precision
        return replace_convolutions(
            module, lambda convolution: channels_last_template(convolution, precision, self.wide)
        )
