"""Reductions over one axis, several or all, alone and put back into what was reduced."""

from kernelwright.frontend.families.family import family
from kernelwright.frontend.families.pointwise import few
from kernelwright.frontend.families.sketch import Sketch

_FORMS = (
    "{x}.sum({d}{k})",
    "torch.mean({x}, {d}{k})",
    "{x}.amax({d}{k})",
    "{x}.amin({d}{k})",
    "torch.logsumexp({x}, {d}{k})",
    "{x}.var({d}, unbiased=False{k})",
    "{x}.std({d}{k})",
    "{x}.norm(dim={d}{k})",
    "{x}.abs().sum({d}{k}) * {a}",
    "{x}.square().mean({d}{k}).sqrt()",
    "({x} * {x}).sum({d}{k}) / {b}",
    "{x}.amax({d}{k}) - {x}.amin({d}{k})",
    "torch.exp(-{x}.abs()).sum({d}{k})",
    "{x}.mean({d}{k}) + {x}.amax({d}{k}) * {a}",
)
_BACK = (
    "{x} - {x}.mean({d}, keepdim=True)",
    "{x} / ({x}.abs().sum({d}, keepdim=True) + {a})",
    "{x} * {x}.sigmoid().mean({d}, keepdim=True)",
    "{x}.amax({d}, keepdim=True) - {x}",
    "{x} - torch.logsumexp({x}, {d}, keepdim=True)",
    "torch.relu({x} - {x}.mean({d}, keepdim=True) * {a})",
)
_ONE_AXIS = (
    "(torch.tanh({x}) * {s} + 1.0).prod({d})",
    "torch.max({x}, {d}).values",
    "torch.min({x}, {d})[0]",
    "{x}.argmax({d}).float()",
    "{x}.argmin({d}).float() * {s}",
)


@family("reductions")
def reductions(sketch: Sketch) -> None:
    """One reduction or two, prepared and finished perhaps."""
    shape = [sketch.one(2, 3, 4, 5, 7, 8) for _ in range(sketch.one(1, 2, 2, 3))] + [sketch.size(5, 8, 16, 17, 24)]
    sketch.random.shuffle(shape)
    value = sketch.input(*shape)
    form = sketch.one(*_FORMS, *_FORMS, *_BACK, *_ONE_AXIS)
    if "arg" not in form:  # places of extremes are asked of values that nothing rounded
        value = few(sketch, value, 2)
    value = few(sketch, _reduced(sketch, value, form), 1)
    if sketch.chance(0.25) and len(sketch.shape(value)) > 1:
        value = few(sketch, _reduced(sketch, value, sketch.one(*_FORMS)), 1)


def _reduced(sketch: Sketch, value: str, form: str) -> str:
    count = len(sketch.shape(value))
    axes = sorted(sketch.random.sample(range(count), sketch.random.randint(1, min(count, 3))))
    spelt = str(axes[0]) if len(axes) == 1 or form in _ONE_AXIS else str(tuple(axes))
    kept = sketch.one("", ", keepdim=True")
    tuned = {"a": sketch.number(0.2, 2), "b": sketch.number(2, 9), "s": sketch.number(0.05, 0.4)}
    return sketch.let(form.format(x=value, d=spelt, k=kept, **tuned))
