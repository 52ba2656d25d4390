"""Losses between predictions and targets, and between probabilities."""

from kernelwright.frontend.families.family import family
from kernelwright.frontend.families.pointwise import few
from kernelwright.frontend.families.sketch import Sketch

_NEAR = (
    "F.mse_loss({x}, {t}{r})",
    "F.l1_loss({x}, {t}{r})",
    "F.smooth_l1_loss({x}, {t}, beta={a}{r})",
    "F.huber_loss({x}, {t}, delta={a}{r})",
    "F.soft_margin_loss({x}, torch.sign({t}){r})",
    "F.binary_cross_entropy_with_logits({x}, torch.sigmoid({t}){r})",
    "F.kl_div(torch.log_softmax({x}, -1), torch.softmax({t}, -1){r})",
    "F.poisson_nll_loss({x}.clamp(max=2.0), {t}.abs(){r})",
    "F.multilabel_soft_margin_loss({x} * {a}, torch.sigmoid({t}){r})",
    "F.hinge_embedding_loss({x}.abs(), torch.sign({t}), margin={a}{r})",
)
_SPELT = (
    "torch.clamp({a} - {x} * {t}, min=0)",
    "torch.log(torch.cosh({x} - {t}))",
    "torch.sqrt(torch.square({x} - {t}) + {a})",
    "1.0 - F.cosine_similarity({x}, {t}, dim=-1)",
    "-(torch.softmax({t} * {a}, -1) * torch.log_softmax({x}, -1)).sum(-1)",
    "torch.square({x} - {t}) * torch.sigmoid({t})",
    "torch.log1p(torch.exp(-torch.abs({x} - {t}) * {a}))",
    "torch.where(torch.abs({x} - {t}) < {a}, torch.square({x} - {t}), torch.abs({x} - {t}) * {a})",
    "torch.maximum({q} * ({x} - {t}), ({q} - 1.0) * ({x} - {t}))",
    "(torch.sigmoid({x}) - {t}.sigmoid()).abs() * {a}",
)
_RESULT = ("{x}.mean()", "{x}.sum() * 0.1", "{x}.mean(-1)", "{x}.mean(0)", "{x}", "{x}.amax(-1)")


@family("losses")
def losses(sketch: Sketch) -> None:
    """One loss of two inputs or three, reduced in one of the usual ways."""
    kind = sketch.one(_near, _near, _spelt, _spelt, _classes, _triplet)
    few(sketch, kind(sketch), 1)


def _inputs(sketch: Sketch) -> tuple[str, str]:
    shape = [sketch.one(4, 5, 8, 16) for _ in range(sketch.one(1, 1, 2))] + [sketch.size(8, 16, 17, 32, 33, 64)]
    one, other = sketch.input(*shape), sketch.input(*shape)
    return few(sketch, one, 1), few(sketch, other, 1)


def _tuned(sketch: Sketch) -> dict[str, float]:
    return {"a": sketch.number(0.2, 2), "q": sketch.number(0.1, 0.9)}


def _near(sketch: Sketch) -> str:
    value, target = _inputs(sketch)
    reduced = sketch.one("", "", ", reduction='sum'", ", reduction='none'")
    found = sketch.let(sketch.one(*_NEAR).format(x=value, t=target, r=reduced, **_tuned(sketch)))
    if "none" in reduced:
        return sketch.let(sketch.one(*_RESULT[2:]).format(x=found))
    return found


def _spelt(sketch: Sketch) -> str:
    value, target = _inputs(sketch)
    found = sketch.let(sketch.one(*_SPELT).format(x=value, t=target, **_tuned(sketch)))
    return sketch.let(sketch.one(*_RESULT).format(x=found))


def _classes(sketch: Sketch) -> str:
    rows, classes = sketch.one(4, 5, 8, 16), sketch.size(5, 8, 10, 17, 32, 64)
    value = few(sketch, sketch.input(rows, classes), 1)
    target = sketch.input(rows, made=f"torch.randint(0, {classes}, ({{}},))")
    options = sketch.one("", "", ", reduction='sum'", ", reduction='none'")
    if sketch.chance(0.5):
        smooth = f", label_smoothing={sketch.number(0.05, 0.3)}" if sketch.chance(0.5) else ""
        return sketch.let(f"F.cross_entropy({value}, {target}{smooth}{options})")
    if sketch.chance(0.5):
        return sketch.let(f"F.nll_loss(torch.log_softmax({value} * {sketch.number(0.3, 2)}, -1), {target}{options})")
    return sketch.let(f"F.multi_margin_loss({value}, {target}, margin={sketch.number(0.3, 2)}{options})")


def _triplet(sketch: Sketch) -> str:
    shape = (sketch.one(4, 5, 8, 16), sketch.size(8, 16, 17, 32, 33))
    anchor, near, far = (few(sketch, sketch.input(*shape), 1) for _ in range(3))
    margin, reduced = sketch.number(0.3, 3), sketch.one("", ", reduction='sum'", ", reduction='none'")
    if sketch.chance(0.5):
        return sketch.let(f"F.triplet_margin_loss({anchor}, {near}, {far}, margin={margin}{reduced})")
    apart = f"({anchor} - {near}).square().sum(-1) - ({anchor} - {far}).square().sum(-1)"
    return sketch.let(f"torch.clamp({apart} + {margin}, min=0.0){sketch.one('', '.mean()', '.sum() * 0.1')}")
