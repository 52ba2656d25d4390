"""Softmax and its kin along any axis: with a temperature, masked, biased, in logarithms, and what is taken of it."""

from kernelwright.frontend.families.family import family
from kernelwright.frontend.families.pointwise import few
from kernelwright.frontend.families.sketch import Sketch

_SCORES = ("{x}", "{x} * {a}", "{x} / {a}", "{x} + {w}", "{x} * {a} + {w}", "{x}.masked_fill({m}, -1e4)", "-{x}")
_FORMS = (
    "torch.softmax({s}, dim={d})",
    "torch.softmax({s}, dim={d})",
    "torch.log_softmax({s}, dim={d})",
    "F.softmin({s}, dim={d})",
    "torch.exp({s} - torch.logsumexp({s}, {d}, keepdim=True))",
    "torch.sigmoid({s}) / torch.sigmoid({s}).sum({d}, keepdim=True)",
    "torch.relu({s}) / (torch.relu({s}).sum({d}, keepdim=True) + {a})",
)
_TAKEN = (
    "{y} * {x}",
    "({y} * {x}).sum({d})",
    "{y}.amax({d})",
    "-({y} * torch.log({y}.abs() + 1e-6)).sum({d})",
    "{y} - {y}.mean({d}, keepdim=True)",
    "({y} + {x}) * {a}",
    "{x} * (1.0 + {y})",
    "({y} * {y}).sum({d}).sqrt()",
)


@family("softmaxes")
def softmaxes(sketch: Sketch) -> None:
    """One softmax of prepared scores, and perhaps something taken of it."""
    shape = [sketch.one(2, 3, 4, 5, 8) for _ in range(sketch.one(1, 1, 2, 3))] + [sketch.size(8, 16, 17, 32, 33, 64)]
    value = sketch.input(*shape)
    axis = sketch.axis(value)
    value = few(sketch, value, 1)
    scores = sketch.one(*_SCORES)
    weight = sketch.weight(shape[-1]) if "{w}" in scores else ""
    mask = sketch.input(*shape, made="(torch.rand({}) > 0.7)") if "{m}" in scores else ""
    tuned = sketch.number(0.3, 2.5)
    scores = sketch.let(scores.format(x=value, a=tuned, w=weight, m=mask)) if scores != "{x}" else value
    found = sketch.let(sketch.one(*_FORMS).format(s=scores, d=axis, a=tuned))
    if sketch.chance(0.5):
        found = sketch.let(sketch.one(*_TAKEN).format(y=found, x=value, d=axis, a=tuned))
    few(sketch, found, 1)
