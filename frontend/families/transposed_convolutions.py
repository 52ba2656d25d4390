"""Transposed convolutions of one to three axes."""

from kernelwright.frontend.families.convolutions import convolved, each, image, spelled, window
from kernelwright.frontend.families.family import family
from kernelwright.frontend.families.pointwise import few
from kernelwright.frontend.families.sketch import Sketch


@family("transposed_convolutions")
def transposed_convolutions(sketch: Sketch) -> None:
    """One transposed convolution, perhaps prepared and finished."""
    axes = sketch.one(1, 1, 2, 2, 2, 3)
    groups = sketch.one(1, 1, 1, 1, 2)
    channels, outputs = groups * sketch.one(1, 2, 3, 4), groups * sketch.one(1, 2, 3, 4)
    value = image(sketch, channels, axes)
    kernel = window(sketch, axes)
    stride = each(sketch, axes, 1, 2, 2, 3) if axes < 3 else each(sketch, axes, 1, 1, 2)
    extra = tuple(sketch.one(0, 0, 1) if step > 1 else 0 for step in stride)
    options = [spelled("stride", stride), spelled("padding", each(sketch, axes, 0, 0, 1))]
    options += [spelled("output_padding", extra), spelled("groups", (groups,))]
    options += [spelled("dilation", each(sketch, axes, 1, 1, 1, 2)), sketch.one("", "bias=False")]
    value = convolved(sketch, few(sketch, value, 1), f"ConvTranspose{axes}d", channels, outputs, kernel, options)
    few(sketch, value, 2)
