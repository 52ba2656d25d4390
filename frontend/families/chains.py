"""Two to six operations one after another, as on KernelBench's second level: a layer, and what follows it."""

from collections.abc import Callable

from kernelwright.frontend.families.convolutions import convolved, image, number, spelled, window
from kernelwright.frontend.families.family import family
from kernelwright.frontend.families.pointwise import pointwise
from kernelwright.frontend.families.sketch import Sketch, Step


@family("chains")
def chains(sketch: Sketch) -> None:
    """A product or a convolution, then one to five steps."""
    value = sketch.one(_linear, _linear, _convolution, _convolution, _transposed)(sketch)
    for _ in range(sketch.random.randint(1, 5)):
        value = _step(sketch, value)(sketch, value)


def _linear(sketch: Sketch) -> str:
    inner, outer = sketch.size(8, 16, 17, 32), sketch.one(8, 12, 16, 24)
    value = sketch.input(sketch.one(4, 8, 16), inner)
    if sketch.chance(0.3):
        return sketch.let(f"torch.matmul({value}, {sketch.weight(outer, inner, scale=inner**-0.5)}.T)")
    return sketch.let(f"{sketch.layer(f'torch.nn.Linear({inner}, {outer})')}({value})")


def _convolution(sketch: Sketch) -> str:
    axes, channels = sketch.one(1, 2, 2, 2, 3), sketch.one(2, 3, 4)
    options = [spelled("padding", (sketch.one(0, 1),)), spelled("stride", (sketch.one(1, 1, 2),))]
    value = image(sketch, channels, axes)
    return convolved(sketch, value, f"Conv{axes}d", channels, sketch.one(4, 6, 8), window(sketch, axes), options)


def _transposed(sketch: Sketch) -> str:
    axes, channels = sketch.one(1, 2, 2, 3), sketch.one(2, 3)
    stride = sketch.one(1, 2) if axes < 3 else 1
    options = [spelled("stride", (stride,)), spelled("padding", (sketch.one(0, 1),))]
    value = image(sketch, channels, axes)
    return convolved(sketch, value, f"ConvTranspose{axes}d", channels, sketch.one(4, 6), window(sketch, axes), options)


def _step(sketch: Sketch, value: str) -> Step:
    """What may follow a value of this shape."""
    count = len(sketch.shape(value))
    steps: list[Callable[[Sketch, str], str]] = [pointwise, pointwise, pointwise, _scaled]
    if count >= 2:
        steps += [_reduced, _softmax, _normalized]
    if count >= 3:
        steps += [_pooled]
    if count == 2:
        steps += [_again]
    return sketch.one(*steps)


def _scaled(sketch: Sketch, value: str) -> str:
    shape = sketch.shape(value)
    weight = sketch.weight(shape[1], *(1,) * (len(shape) - 2)) if len(shape) > 1 else sketch.weight(*shape)
    return sketch.let(f"{value} {sketch.one('+', '*', '-')} {weight}")


def _reduced(sketch: Sketch, value: str) -> str:
    name = sketch.one("mean", "sum", "amax", "amin", "logsumexp")
    axes: object = sketch.axis(value, 1)
    if len(sketch.shape(value)) == 4 and sketch.chance(0.4):
        axes = (2, 3)
    return sketch.let(f"{value}.{name}({axes}, keepdim={sketch.one(True, True, False)})")


def _softmax(sketch: Sketch, value: str) -> str:
    return sketch.let(f"torch.{sketch.one('softmax', 'softmax', 'log_softmax')}({value}, dim={sketch.axis(value, 1)})")


def _normalized(sketch: Sketch, value: str) -> str:
    shape = sketch.shape(value)
    groups = sketch.one(*(size for size in range(1, shape[1] + 1) if shape[1] % size == 0))
    kinds = [f"torch.nn.GroupNorm({groups}, {shape[1]})", f"torch.nn.LayerNorm({shape[-1]})"]
    if len(shape) > 2 and sketch.chance(0.3):
        return sketch.let(f"F.instance_norm({value})")
    if sketch.chance(0.3):
        return sketch.let(f"F.batch_norm({value}, None, None, training=True)")
    return sketch.let(f"{sketch.layer(sketch.one(*kinds), 'norm')}({value})")


def _pooled(sketch: Sketch, value: str) -> str:
    axes = len(sketch.shape(value)) - 2
    if sketch.chance(0.3):
        return sketch.let(f"F.adaptive_avg_pool{axes}d({value}, 1)")
    return sketch.let(f"F.{sketch.one('max', 'avg')}_pool{axes}d({value}, {number((sketch.one(2, 3),))})")


def _again(sketch: Sketch, value: str) -> str:
    inner, outer = sketch.shape(value)[1], sketch.one(4, 8, 10)
    return sketch.let(f"{sketch.layer(f'torch.nn.Linear({inner}, {outer})')}({value})")
