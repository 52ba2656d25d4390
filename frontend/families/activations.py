"""Activations with constants of their own, alone, gated and one after another."""

from kernelwright.frontend.families.family import family
from kernelwright.frontend.families.pointwise import few, pointwise
from kernelwright.frontend.families.sketch import Sketch

_SPELT = (
    "{x} * torch.sigmoid({a} * {x})",
    "0.5 * {x} * (1.0 + torch.tanh(0.7978845608 * ({x} + 0.044715 * {x} ** 3)))",
    "{x} * torch.tanh(F.softplus({x} * {a}))",
    "torch.where({x} > 0, {x}, {s} * (torch.exp({x}) - 1.0))",
    "torch.where({x} > 0, {x} * {a}, {x} * {s})",
    "torch.clamp({x} * {s} + 0.5, 0.0, 1.0)",
    "{x} * torch.clamp({x} + 3.0, 0.0, 6.0) / 6.0",
    "torch.log(torch.exp(-torch.abs({x})) + {a})",
    "{x} / (1.0 + torch.abs({x}) * {a})",
    "torch.sign({x}) * torch.sqrt(torch.abs({x}) * {a} + 1.0)",
    "torch.maximum({x}, torch.zeros_like({x})) - {s} * {x}",
    "{x} + torch.sin({a} * {x}).square() / {a}",
    "F.hardtanh({x}, -{a}, {a})",
    "F.hardshrink({x} * {a} + torch.sign({x}), {s})",
    "F.softshrink({x}, {s})",
    "F.leaky_relu({x} - {s}, {s}) * {a}",
    "F.logsigmoid({x} * {a})",
    "F.tanhshrink({x} * {a})",
    "torch.atan({x} * {a})",
    "torch.sinh(torch.clamp({x}, -{a}, {a}))",
)
_OF_TWO = (
    "{x} * torch.sigmoid({z})",
    "torch.tanh({x}) * torch.sigmoid({z} * {a})",
    "F.gelu({x}) * {z}",
    "F.silu({x}) * {z} + {s}",
    "torch.maximum({x}, {z} * {a})",
    "torch.lerp({x}, {z}, {s})",
    "torch.where({z} > 0, {x}, {x} * {s})",
    "{x} + {a} * torch.relu({z} - {x})",
    "torch.addcmul({x}, {z}, {z}, value={s})",
)
_OF_ROWS = ("F.prelu({x}, {w})", "{x} * {w}", "F.glu({x}, -1)", "{x} * torch.tanh({w} * {x})", "torch.relu({x} + {w})")


@family("activations")
def activations(sketch: Sketch) -> None:
    """One to four activations, of one value, of two, or with weights."""
    shape = [sketch.one(2, 3, 4, 5, 8, 16) for _ in range(sketch.one(1, 1, 2, 3))] + [sketch.size(6, 8, 16, 18, 32, 64)]
    value = sketch.input(*shape)
    for _ in range(sketch.random.randint(1, 3)):
        value = sketch.one(_spelt, _spelt, _two, _rows, pointwise)(sketch, value)
    few(sketch, value, 1)


def _tuned(sketch: Sketch) -> dict[str, float]:
    return {"a": sketch.number(0.3, 2.5), "s": sketch.number(0.05, 0.5)}


def _spelt(sketch: Sketch, value: str) -> str:
    return sketch.let(sketch.one(*_SPELT).format(x=value, **_tuned(sketch)))


def _two(sketch: Sketch, value: str) -> str:
    shape = sketch.shape(value)
    other = sketch.input(*shape[-sketch.random.randint(1, len(shape)) :])
    return sketch.let(sketch.one(*_OF_TWO).format(x=value, z=other, **_tuned(sketch)))


def _rows(sketch: Sketch, value: str) -> str:
    form, shape = sketch.one(*_OF_ROWS), sketch.shape(value)
    size = shape[1] if "prelu" in form and len(shape) > 1 else shape[-1]
    return sketch.let(form.format(x=value, w=sketch.weight(size) if "{w}" in form else ""))
