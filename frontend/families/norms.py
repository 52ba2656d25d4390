"""Normalizations: over rows, channels, groups, instances and batches, by deviation, mean square or length."""

from kernelwright.frontend.families.family import family
from kernelwright.frontend.families.pointwise import few, pointwise
from kernelwright.frontend.families.sketch import Sketch


@family("norms")
def norms(sketch: Sketch) -> None:
    """One normalization, perhaps prepared, finished, or added to what came in."""
    channels = sketch.one(4, 6, 8, 12)
    shape = (sketch.one(2, 3, 4), channels, *(sketch.one(5, 6, 7, 8, 9) for _ in range(sketch.one(0, 1, 2, 2))))
    given = sketch.input(*shape)
    value = few(sketch, given, 1)
    kind = sketch.one(_layer, _batch, _groups, _instance, _mean_square, _length, _by_hand)
    found = kind(sketch, value)
    if sketch.chance(0.25) and sketch.shape(found) == shape:
        found = sketch.let(f"{found} + {given}")
    few(sketch, found, 2)


def _eps(sketch: Sketch) -> str:
    return sketch.one("1e-5", "1e-6", "1e-3", "1e-2")


def _layer(sketch: Sketch, value: str) -> str:
    shape = sketch.shape(value)
    last = list(shape[-sketch.random.randint(1, len(shape) - 1) :])
    if sketch.chance(0.4):
        return sketch.let(f"F.layer_norm({value}, {last}, eps={_eps(sketch)})")
    layer = sketch.layer(f"torch.nn.LayerNorm({last}, eps={_eps(sketch)})", "norm")
    return sketch.let(f"{layer}({value})")


def _batch(sketch: Sketch, value: str) -> str:
    channels = sketch.shape(value)[1]
    if sketch.chance(0.4):
        return sketch.let(f"F.batch_norm({value}, None, None, training=True, eps={_eps(sketch)})")
    mean = sketch.layer(f"torch.nn.Buffer(torch.randn({channels}) * 0.1)", "mean")
    deviation = sketch.layer(f"torch.nn.Buffer(torch.rand({channels}) + 0.5)", "var")
    scale = sketch.weight(channels)
    return sketch.let(f"F.batch_norm({value}, {mean}, {deviation}, {scale}, eps={_eps(sketch)})")


def _groups(sketch: Sketch, value: str) -> str:
    channels = sketch.shape(value)[1]
    groups = sketch.one(*(count for count in range(1, channels + 1) if channels % count == 0))
    layer = sketch.layer(f"torch.nn.GroupNorm({groups}, {channels}, eps={_eps(sketch)})", "norm")
    return sketch.let(f"{layer}({value})")


def _instance(sketch: Sketch, value: str) -> str:
    return sketch.let(f"F.instance_norm({value}, eps={_eps(sketch)})")


def _mean_square(sketch: Sketch, value: str) -> str:
    axis = sketch.axis(value, 1)
    root = sketch.one(
        "torch.rsqrt({x}.square().mean({d}, keepdim=True) + {e})",
        "1.0 / torch.sqrt(({x} * {x}).mean({d}, keepdim=True) + {e})",
        "torch.rsqrt(torch.mean({x} ** 2, dim={d}, keepdim=True) + {e})",
    ).format(x=value, d=axis, e=_eps(sketch))
    found = sketch.let(f"{value} * {root}")
    return sketch.let(f"{found} * {sketch.weight(sketch.shape(value)[-1])}") if sketch.chance(0.5) else found


def _length(sketch: Sketch, value: str) -> str:
    axis = sketch.axis(value, 1)
    form = sketch.one(
        "F.normalize({x}, p={p}, dim={d})",
        "{x} / ({x}.norm(p={p}, dim={d}, keepdim=True) + {s})",
        "{x} / (torch.sum(torch.abs({x}), dim={d}, keepdim=True) + {s})",
        "{x} / ({x}.abs().amax({d}, keepdim=True) + {s})",
        "{x} / (torch.mean(torch.abs({x}), dim={d}, keepdim=True) + {s})",
        "{x} / torch.norm({x}, p='fro') * {s}",
    )
    return sketch.let(form.format(x=value, d=axis, p=sketch.one(1, 2), s=sketch.number(0.1, 4)))


def _by_hand(sketch: Sketch, value: str) -> str:
    count = len(sketch.shape(value))
    axes = tuple(sorted(sketch.random.sample(range(count), sketch.random.randint(1, count - 1))))
    centred = sketch.let(f"{value} - {value}.mean({axes}, keepdim=True)")
    if sketch.chance(0.4):
        return pointwise(sketch, centred)
    spread = sketch.one(
        "{x} / ({x}.square().mean({d}, keepdim=True) + {s}).sqrt()",
        "{x} * torch.rsqrt(({x} ** 2).sum({d}, keepdim=True) + {s})",
        "{x} / ({v}.std({d}, keepdim=True) + {s})",
        "{x} / torch.sqrt({v}.var({d}, keepdim=True, unbiased=False) + {s})",
    )
    return sketch.let(spread.format(x=centred, v=value, d=axes, s=sketch.number(0.05, 0.5)))
