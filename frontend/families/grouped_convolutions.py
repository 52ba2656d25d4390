"""Convolutions in groups: grouped, depthwise, separable, and of one point."""

from kernelwright.frontend.families.convolutions import convolved, each, image, spelled, window
from kernelwright.frontend.families.family import family
from kernelwright.frontend.families.pointwise import few
from kernelwright.frontend.families.sketch import Sketch


@family("grouped_convolutions")
def grouped_convolutions(sketch: Sketch) -> None:
    """One grouped convolution or a separable one, perhaps prepared and finished."""
    axes = sketch.one(1, 2, 2, 2, 3)
    kind = sketch.one("grouped", "depthwise", "depthwise", "separable", "point")
    groups, inner = (sketch.one(2, 3, 4), sketch.one(1, 2, 3)) if kind != "point" else (1, sketch.one(3, 4, 8, 16))
    if kind in ("depthwise", "separable"):
        groups, inner = sketch.one(2, 3, 4, 6, 8), 1
    channels, outputs = groups * inner, groups * sketch.one(1, 1, 2)
    value = few(sketch, image(sketch, channels, axes), 1)
    kernel = (1,) * axes if kind == "point" else window(sketch, axes)
    options = [spelled("stride", each(sketch, axes, 1, 1, 2)), spelled("padding", each(sketch, axes, 0, 1))]
    options += [spelled("dilation", each(sketch, axes, 1, 1, 1, 2)), spelled("groups", (groups,))]
    options += [sketch.one("", "bias=False")]
    value = convolved(sketch, value, f"Conv{axes}d", channels, outputs, kernel, options)
    if kind == "separable":
        value = few(sketch, value, 1)
        point = [sketch.one("", "bias=False")]
        value = convolved(sketch, value, f"Conv{axes}d", outputs, sketch.one(2, 3, 4, 6), (1,) * axes, point)
    few(sketch, value, 2)
