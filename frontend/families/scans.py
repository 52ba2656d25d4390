"""Running sums, products and maxima along an axis: forwards, backwards, exclusive, masked, weighted."""

from kernelwright.frontend.families.family import family
from kernelwright.frontend.families.pointwise import few
from kernelwright.frontend.families.sketch import Sketch

_FORMS = (
    "torch.cumsum({x}, dim={d})",
    "torch.cumsum({x}, dim={d}) * {a}",
    "torch.cumsum({x}.flip({d}), dim={d}).flip({d})",
    "torch.cumsum({x} * {m}, dim={d})",
    "torch.cumsum({x}, dim={d}) - {x}",
    "torch.cumsum({x}, dim={d}) / {n}.0",
    "torch.cumsum({x} - {x}.mean({d}, keepdim=True), dim={d})",
    "torch.cumsum(torch.softmax({x}, dim={d}), dim={d})",
    "torch.cumsum({x} * {a}, dim={d}) + {x}",
    "torch.cumprod(torch.tanh({x}) * {s} + 1.0, dim={d})",
    "torch.cumprod(torch.sigmoid({x}) + 0.5, dim={d})",
    "torch.cumprod(1.0 - {s} * torch.sigmoid({x}), dim={d})",
    "{x} * torch.cumsum(torch.sigmoid({x}), dim={d})",
    "torch.cumsum({x}.square(), dim={d}).sqrt()",
    "torch.cumsum(torch.cumsum({x}, dim={d}), dim={d}) * 0.1",
    "torch.diff(torch.cumsum({x}, dim={d}), dim={d})",
    "F.pad(torch.cumsum({x}, dim=-1), (1, 0))[..., :-1]",
)


@family("scans")
def scans(sketch: Sketch) -> None:
    """One scan, perhaps prepared, finished, or reduced."""
    shape = [sketch.one(2, 3, 4, 5) for _ in range(sketch.one(1, 1, 2))] + [sketch.size(8, 16, 17, 24, 31, 32, 64)]
    sketch.random.shuffle(shape)
    value = sketch.input(*shape)
    axis = sketch.axis(value)
    form = sketch.one(*_FORMS)
    mask = sketch.input(*shape, made="(torch.rand({}) > 0.4)") if "{m}" in form else ""
    value = few(sketch, value, 1)
    tuned = {"a": sketch.number(0.2, 2), "s": sketch.number(0.1, 0.6), "n": shape[axis]}
    value = few(sketch, sketch.let(form.format(x=value, d=axis, m=mask, **tuned)), 2)
    if sketch.chance(0.2):
        sketch.let(f"{value}.{sketch.one('mean', 'amax', 'sum')}({sketch.axis(value)})")
