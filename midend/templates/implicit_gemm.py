"""`implicit-gemm`: convolutions as products of matrices that are never built, without a library."""

from dataclasses import dataclass
from typing import ClassVar

from kernelwright.ir.errors import check_choice
from kernelwright.ir.exploration import Exploration, Phase, Variant
from kernelwright.ir.passes import Context, Pass, register
from kernelwright.ir.values import KernelModule, Level
from kernelwright.midend.templates.convolution import Convolution, Template, precision_of, replace_convolutions
from kernelwright.midend.templates.gathered import FORMS, gathered_template


@register
@dataclass(frozen=True)
class ImplicitGemm(Pass):
    """Compute convolutions as matrix products over taps and channels, in a kernel that can take an epilogue.

    form: dot (tiles of channels are multiplied), direct (channels are added one by one) or auto (direct where a group
    has few). Legal for 1 to 3 axes, every stride, padding, dilation and number of groups, in fp32, fp16 and bf16. Tiles
    of fp32 are multiplied as TF32 where the reference's numerics let convolutions, else as IEEE fp32. Pixels lie along
    x, so it wants `lower-inductor{channels_last=false}` before it.

    pack: copy a weight for tiles, if its channels do not lie side by side; else one that is contiguous is read where it
    lies, all taps of a channel before the next channel's.
    """

    name: ClassVar[str] = "implicit-gemm"
    reads: ClassVar[Level] = Level.TRITON
    writes: ClassVar[Level] = Level.TRITON
    explore = Exploration(
        Phase.TEMPLATE,
        after=("channels-last-conv",),
        variants=(Variant("form=direct"), Variant("form=dot"), Variant("form=dot,pack=false")),
    )

    form: str = "auto"
    pack: bool = True

    def __post_init__(self) -> None:
        check_choice("form", self.form, FORMS)

    def run(self, module: KernelModule, ctx: Context) -> KernelModule:  # noqa: ARG002
        """The module with such kernels; the same object where there is no convolution that is not transposed."""
        precision = precision_of(module)

        def template(convolution: Convolution) -> Template | None:
            return None if convolution.transposed else gathered_template(convolution, self.form, precision, self.pack)

        return replace_convolutions(module, template)
