"""Convolutions of one to three axes: padded, strided, dilated, with windows that are no squares."""

from collections.abc import Sequence
from math import prod

from kernelwright.frontend.families.family import family
from kernelwright.frontend.families.pointwise import few
from kernelwright.frontend.families.sketch import Sketch

#: Sizes of an image's axes by how many there are.
_IMAGES = {1: (11, 16, 17, 24, 32), 2: (6, 7, 8, 9, 11), 3: (4, 5, 6)}


@family("convolutions")
def convolutions(sketch: Sketch) -> None:
    """One convolution, what goes into it perhaps prepared, its result perhaps finished."""
    axes = sketch.one(1, 2, 2, 2, 3)
    channels, outputs = sketch.one(2, 3, 4, 5, 8), sketch.one(2, 3, 4, 6, 8)
    value = image(sketch, channels, axes)
    kernel = window(sketch, axes)
    options = [spelled("stride", each(sketch, axes, 1, 1, 2, 3)), spelled("padding", each(sketch, axes, 0, 1, 2))]
    options += [spelled("dilation", each(sketch, axes, 1, 1, 1, 2)), sketch.one("", "bias=False")]
    few(sketch, convolved(sketch, few(sketch, value, 1), f"Conv{axes}d", channels, outputs, kernel, options), 2)


def image(sketch: Sketch, channels: int, axes: int) -> str:
    """An input of images, signals or volumes."""
    sizes = [sketch.one(*_IMAGES[axes]) for _ in range(axes)]
    return sketch.input(sketch.one(1, 2), channels, *sizes)


def window(sketch: Sketch, axes: int) -> tuple[int, ...]:
    """The sizes of a window, all alike more often than not."""
    sizes = (1, 2, 3, 3, 5) if axes < 3 else (1, 2, 3)
    return each(sketch, axes, *sizes)


def each(sketch: Sketch, axes: int, *options: int) -> tuple[int, ...]:
    """A number for each axis, all alike more often than not."""
    if sketch.chance(0.75):
        return (sketch.one(*options),) * axes
    return tuple(sketch.one(*options) for _ in range(axes))


def number(sizes: Sequence[int]) -> str:
    """`3`, or `(3, 5)` where axes differ."""
    return str(sizes[0]) if len(set(sizes)) == 1 else str(tuple(sizes))


def spelled(name: str, sizes: Sequence[int]) -> str:
    """`stride=2`; nothing where that is how it is anyway."""
    return "" if set(sizes) == {0 if "padding" in name else 1} else f"{name}={number(sizes)}"


def convolved(
    sketch: Sketch, value: str, layer: str, channels: int, outputs: int, kernel: Sequence[int], options: Sequence[str]
) -> str:
    """A convolution layer and the line that calls it."""
    made = ", ".join([str(channels), str(outputs), number(kernel), *filter(None, options)])
    found = sketch.let(f"{sketch.layer(f'torch.nn.{layer}({made})', 'conv')}({value})")
    sketch.work(sketch.shape(found), (channels, prod(kernel)))
    return found
