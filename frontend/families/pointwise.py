"""Steps that go element by element, which families put before and after what they are about."""

from kernelwright.frontend.families.sketch import Sketch

_PLAIN = (
    "torch.relu({x})",
    "torch.tanh({x})",
    "torch.sigmoid({x})",
    "torch.sin({x})",
    "torch.cos({x})",
    "torch.square({x})",
    "torch.abs({x})",
    "F.gelu({x})",
    "F.gelu({x}, approximate='tanh')",
    "F.silu({x})",
    "F.mish({x})",
    "F.hardswish({x})",
    "F.hardsigmoid({x})",
    "F.softsign({x})",
    "F.selu({x})",
    "F.relu6({x})",
    "F.softplus({x})",
    "torch.exp(-torch.abs({x}))",
    "torch.log1p(torch.abs({x}))",
    "torch.erf({x})",
)
#: With constants a, b.
_TUNED = (
    "{x} * {a}",
    "{x} + {a}",
    "{a} - {x}",
    "{x} / {b}",
    "{x} * {a} + {b}",
    "torch.clamp({x}, min=-{a})",
    "torch.clamp({x}, -{a}, {b})",
    "torch.clamp({x}, max={b})",
    "F.leaky_relu({x}, {s})",
    "F.elu({x}, {a})",
    "F.celu({x}, {a})",
    "F.softplus({x}, {a})",
    "F.threshold({x}, {s}, {s})",
    "torch.sigmoid({x} * {a})",
    "{x} * torch.sigmoid({x} * {a})",
    "torch.tanh({x} / {b})",
    "torch.sqrt(torch.abs({x}) + {s})",
    "torch.rsqrt(torch.square({x}) + {b})",
    "1.0 / (1.0 + {a} * torch.abs({x}))",
)


def pointwise(sketch: Sketch, value: str) -> str:
    """One step, with constants of its own in half of the cases."""
    form = sketch.one(*_PLAIN) if sketch.chance(0.5) else sketch.one(*_TUNED)
    tuned = {"a": sketch.number(0.3, 2.5), "b": sketch.number(0.5, 4), "s": sketch.number(0.01, 0.3)}
    return sketch.let(form.format(x=value, **tuned))


def few(sketch: Sketch, value: str, most: int = 2) -> str:
    """Up to `most` steps, often none."""
    for _ in range(sketch.random.randint(0, most)):
        value = pointwise(sketch, value)
    return value
