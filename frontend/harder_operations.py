"""Operations that only harder random programs draw from: scans, odd axes, indexing, dtypes, whole idioms.

The rules are those of `operations`: a proposal is run and kept if it works, and floats go through continuous functions
alone.
"""

from collections.abc import Mapping

import torch

from kernelwright.frontend.proposals import Operation, ProgramSampler, Proposal, Value


def scan(draw: ProgramSampler) -> Proposal | None:
    """A scan or difference along any axis."""
    x = draw.floats(1)
    if x is None:
        return None
    forms = (
        "torch.cumsum({x}, {d})",
        "torch.cumsum({x}.flip({d}), {d}).flip({d})",
        "torch.cumprod(torch.tanh({x}) + 0.5, {d})",
        "torch.logcumsumexp({x}, {d})",
        "torch.diff({x}, dim={d})",
        "torch.cumsum({x}, {d}) / {n}",
        "torch.cumsum({x}, {d}) - {x}",
    )
    axis = draw.dim(x)
    return Proposal(draw.random.choice(forms).format(x=x.name, d=axis, n=x.shape[axis]))


def odd_reduction(draw: ProgramSampler) -> Proposal | None:
    """A reduction over axes that are not neighbours, over all, or one that is put back into its value."""
    x = draw.floats(2)
    if x is None:
        return None
    count = draw.random.randint(1, x.ndim)
    axes = sorted(draw.random.sample(range(x.ndim), count))
    dims = draw.random.choice([str(tuple(axes)), str(tuple(axis - x.ndim for axis in axes))])
    forms = ["{x} - {x}.mean({d}, keepdim=True)", "{x} / ({x}.abs().amax({d}, keepdim=True) + 0.5)"]
    forms += ["{x}.square().sum({d}).sqrt()", "{x}.abs().mean({d})", "{x}.float().logsumexp({d}, keepdim=True)"]
    forms += ["{x}.amax({d}, keepdim=True) - {x}", "{x} * {x}.sigmoid().sum({d}, keepdim=True)"]
    if all(x.shape[axis] > 1 for axis in axes):
        forms += ["{x}.float().var({d}, unbiased=False)", "({x}.float().var({d}, keepdim=True) + 0.1).sqrt()"]
    if count == 1:
        forms += ["(torch.tanh({x}) + 0.5).prod({d})".replace("{d}", str(axes[0]))]
    return Proposal(draw.random.choice(forms).format(x=x.name, d=dims))


def outer(draw: ProgramSampler) -> Proposal | None:
    """Two values that broadcast only once axes are added to them."""
    x = draw.value(lambda value: value.is_float and 1 <= value.ndim <= 3)
    y = draw.value(lambda value: x is not None and value.is_float and 1 <= value.ndim <= 3 and value.name != x.name)
    if x is None or y is None:
        return None
    forms = ["{x}.unsqueeze(-1) * {y}.flatten()[:{n}]", "{x}.flatten()[:{n}, None] - {y}.flatten()[None, :{m}]"]
    forms += [
        "({x}[..., None] + {y}.reshape(-1)[:{n}]).amax(-1)",
        "torch.outer({x}.flatten()[:{n}], {y}.flatten()[:{m}])",
    ]
    sizes = {"n": draw.random.choice([2, 3, 5, 8]), "m": draw.random.choice([3, 4, 7, 16])}
    return Proposal(draw.random.choice(forms).format(x=x.name, y=y.name, **sizes))


def indexing(draw: ProgramSampler) -> Proposal | None:
    """Elements picked along a later axis, by several ids at once, by strides, or from a diagonal."""
    x = draw.value(lambda value: value.is_float and value.ndim >= 2)
    if x is None:
        return None
    ids, more, n = draw.fresh("ids"), draw.fresh("ids"), draw.size()
    d = draw.random.randrange(1, x.ndim)
    first, other = f"torch.randint(0, {x.shape[0]}, ({n},))", f"torch.randint(0, {x.shape[d]}, ({n},))"
    kind = draw.random.choice(["later", "both", "take", "strides", "diagonal", "window"])
    if kind == "later":
        return Proposal(f"{x.name}[{':, ' * d}{ids}]", inputs={ids: other}, exact=x.exact)
    if kind == "both":
        other = f"torch.randint(0, {x.shape[1]}, ({n},))"
        return Proposal(f"{x.name}[{ids}, {more}]", inputs={ids: first, more: other}, exact=x.exact)
    if kind == "take":
        shape = tuple(n if axis == d else 1 for axis in range(x.ndim))
        made = {ids: f"torch.randint(0, {x.shape[d]}, {shape})"}
        return Proposal(f"torch.take_along_dim({x.name}, {ids}, {d})", inputs=made, exact=x.exact)
    if kind == "strides":
        return Proposal(f"{x.name}[{':, ' * d}1::2]", exact=x.exact, distinct=x.distinct)
    if kind == "diagonal":
        return Proposal(f"{x.name}.diagonal(dim1=0, dim2={d})", exact=x.exact, distinct=x.distinct)
    return Proposal(f"{x.name}.unfold({d}, 2, 1)", exact=x.exact)


def mixed(draw: ProgramSampler) -> Proposal | None:
    """Two values computed with in a third dtype, or rounded on the way."""
    x, y = draw.floats(), draw.floats()
    if x is None or y is None:
        return None
    forms = ["{x}.half() * 0.5 + {y}.float()", "{x}.bfloat16().float() - {y}", "({x}.double() + {y}).float()"]
    forms += ["torch.relu({x}).to(torch.bfloat16) + 1.0", "({x}.float() * {y}.float()).half()"]
    return Proposal(draw.random.choice(forms).format(x=x.name, y=y.name))


def by_integers(draw: ProgramSampler) -> Proposal | None:
    """A float value scaled, chosen or shifted by an integer or boolean one that broadcasts with it."""
    x, i = draw.floats(), draw.value(lambda value: not value.is_float)
    if x is None or i is None:
        return None
    forms = ["{x} * {i}", "{x} + {i} * 0.125", "torch.where({i} > 0, {x}, {x} * 0.5)", "{x} / ({i}.abs() + 1)"]
    if i.tensor.dtype == torch.bool:
        forms = ["{x}.masked_fill({i}, 0.5)", "torch.where({i}, {x}, -{x})", "{x} * {i}", "{x} - {i}.float().mean()"]
    return Proposal(draw.random.choice(forms).format(x=x.name, i=i.name))


def norm_axis(draw: ProgramSampler) -> Proposal | None:
    """A norm over several axes, over channels, or with the weights of another axis."""
    x = draw.value(lambda value: value.is_float and value.ndim >= 2 and _spread(value))
    if x is None:
        return None
    name, float_x = draw.fresh("norm"), f"{x.name}.float()"
    forms = [
        Proposal(f"F.layer_norm({float_x}, {x.shape[-2:]})"),
        Proposal(f"self.{name}({float_x})", {name: f"torch.nn.LayerNorm({x.shape[-2:]})"}),
        Proposal(f"{x.name} * torch.rsqrt({float_x}.square().mean(1, keepdim=True) + 1e-3)"),
        Proposal(
            f"({x.name} - {float_x}.mean(0)) * torch.rsqrt({float_x}.var(0, unbiased=False) + 1e-2) * self.{name}",
            {name: f"torch.nn.Parameter(torch.randn({x.shape[-1]}))"},
        ),
    ]
    if x.ndim >= 3:
        forms.append(Proposal(f"F.instance_norm({float_x})"))
    return draw.random.choice(forms)


def _spread(value: Value) -> bool:
    """Whether every row and every column varies."""
    floats = value.tensor.float()
    return min(value.shape) > 1 and all(float(floats.var(axis).min()) > 1e-2 for axis in range(floats.ndim))


def contraction(draw: ProgramSampler) -> Proposal | None:
    """A product over axes that are not the last two, or of a value with itself."""
    x = draw.value(lambda value: value.is_float and value.ndim in (2, 3))
    if x is None:
        return None
    name, n, scale = draw.fresh("weight"), draw.size(), f"{max(x.shape) ** -0.5:.3f}"
    letters = "abc"[: x.ndim]
    axis = draw.random.randrange(x.ndim)
    kept = letters.replace(letters[axis], "")
    weight = {name: f"torch.nn.Parameter(torch.randn({x.shape[axis]}, {n}) * {x.shape[axis] ** -0.5:.3f})"}
    forms = [
        Proposal(f"torch.einsum('{letters},{letters[axis]}n->{kept}n', {x.name}.float(), self.{name})", weight),
        Proposal(f"torch.einsum('{letters},{letters[axis]}n->n{kept}', {x.name}.float(), self.{name})", weight),
        Proposal(f"{x.name}.transpose(-1, -2) @ {x.name} * {scale}"),
        Proposal(f"torch.einsum('...a,...b->...ab', {x.name}, {x.name}).mean(0)"),
    ]
    return draw.random.choice(forms)


def idiom(draw: ProgramSampler) -> Proposal | None:
    """What models are made of, in one expression: gates, attention, rotations, losses, residuals."""
    x = draw.value(lambda value: value.is_float and value.ndim >= 2)
    if x is None:
        return None
    name, width, half = draw.fresh("weight"), x.shape[-1], x.shape[-1] // 2
    square = {name: f"torch.nn.Parameter(torch.randn({width}, {width}) * {width**-0.5:.3f})"}
    scores = f"({x.name}.float() @ {x.name}.float().transpose(-1, -2)) * {width**-0.5:.3f}"
    forms = [
        Proposal(f"torch.softmax({scores}, -1) @ ({x.name}.float() @ self.{name})", square),
        Proposal(f"{x.name} + F.gelu({x.name}.float() @ self.{name}) * 0.5", square),
        Proposal(f"{x.name}.float() * torch.sigmoid({x.name}.float() @ self.{name})", square),
        Proposal(f"F.mse_loss({x.name}.float(), {x.name}.float().roll(1, -1), reduction='none').mean(-1)"),
        Proposal(f"-(torch.log_softmax({x.name}.float(), 1) * torch.softmax({x.name}.float(), 1)).sum(1)"),
        Proposal(f"F.smooth_l1_loss({x.name}.float(), {x.name}.float().flip(0), reduction='none')"),
    ]
    if half and width % 2 == 0:
        turned = f"torch.cat([-{x.name}[..., {half}:], {x.name}[..., :{half}]], -1)"
        angle = f"torch.arange({width}, device={x.name}.device) * 0.1"
        forms += [
            Proposal(f"F.glu({x.name}, -1)"),
            Proposal(f"{x.name} * torch.cos({angle}) + {turned} * torch.sin({angle})"),
        ]
    if x.ndim >= 3:
        forms.append(
            Proposal(f"torch.softmax({scores} + torch.full({_square(x)}, -1e4, device={x.name}.device).triu(1), -1)")
        )
    return draw.random.choice(forms)


def _square(value: Value) -> tuple[int, int]:
    return value.shape[-2], value.shape[-2]


#: Operations and how often each is drawn beside those of `operations`, at difficulty 2; harder ones more often.
HARDER: Mapping[Operation, int] = {
    scan: 2,
    odd_reduction: 4,
    outer: 2,
    indexing: 3,
    mixed: 2,
    by_integers: 3,
    norm_axis: 2,
    contraction: 1,
    idiom: 2,
}
