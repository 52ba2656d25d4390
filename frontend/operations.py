"""What random programs are made of: each operation proposes an expression over the values there are.

A proposal need not be valid: the generator runs it and keeps it if it works and its result is sane. Operations
must only see to it that the result is a continuous function of floats (comparisons and argmax are taken of
values that are exact copies of inputs), so that rounding cannot flip it.
"""

from collections.abc import Mapping

import torch

from kernelwright.frontend.proposals import Operation, ProgramSampler, Proposal, Value

_UNARY = (
    "torch.relu({x})",
    "torch.tanh({x})",
    "torch.sigmoid({x})",
    "torch.sin({x})",
    "torch.cos({x})",
    "torch.erf({x})",
    "torch.square({x})",
    "torch.exp(-{x}.abs())",
    "torch.log1p({x}.abs())",
    "torch.sqrt({x}.abs() + 0.1)",
    "torch.rsqrt({x}.abs() + 0.5)",
    "torch.clamp({x}, -1.0, 1.5)",
    "1.0 / ({x}.abs() + 1.0)",
    "F.gelu({x})",
    "F.gelu({x}, approximate='tanh')",
    "F.silu({x})",
    "F.mish({x})",
    "F.elu({x}, 0.7)",
    "F.softplus({x})",
    "F.hardswish({x})",
    "F.hardsigmoid({x})",
    "F.leaky_relu({x}, 0.1)",
    "{x} * 0.5",
    "1.0 - {x}",
    "{x} + 0.25",
    "-{x}",
)


def unary(draw: ProgramSampler) -> Proposal | None:
    """A pointwise function of one value."""
    x = draw.floats()
    return None if x is None else Proposal(draw.random.choice(_UNARY).format(x=x.name))


def binary(draw: ProgramSampler) -> Proposal | None:
    """A pointwise function of two values that broadcast, often of two dtypes."""
    x = draw.floats()
    y = draw.value(lambda value: x is not None and value.is_float and value.name != x.name)
    if x is None or y is None:
        return None
    forms = ["{x} + {y}", "{x} - {y}", "{x} * {y}", "torch.maximum({x}, {y})", "torch.minimum({x}, {y})"]
    forms += ["{x} / ({y}.abs() + 1.0)", "torch.lerp({x}, {y}, 0.25)", "torch.addcmul({x}, {x}, {y}, value=0.5)"]
    return Proposal(draw.random.choice(forms).format(x=x.name, y=y.name))


def scale(draw: ProgramSampler) -> Proposal | None:
    """A weight or buffer that broadcasts against a value."""
    x = draw.floats(1)
    if x is None:
        return None
    shape = [size if draw.random.random() < 0.6 else 1 for size in x.shape[-draw.random.randint(1, x.ndim) :]]
    name = draw.fresh("weight")
    made = f"torch.nn.Parameter(torch.randn({tuple(shape)}))"
    if draw.random.random() < 0.3:
        made = f"torch.nn.Buffer(torch.rand({tuple(shape)}) + 0.5)"
    return Proposal(f"{x.name} {draw.random.choice('+*-')} self.{name}", held={name: made})


def reduction(draw: ProgramSampler) -> Proposal | None:
    """A reduction over one axis or several."""
    x = draw.floats(1)
    if x is None:
        return None
    axes = draw.random.sample(range(x.ndim), draw.random.randint(1, min(2, x.ndim)))
    dims = axes[0] if len(axes) == 1 else tuple(sorted(axes))
    names = ["sum", "mean", "amax", "amin", "logsumexp"]
    if all(x.shape[axis] > 1 for axis in axes):
        names.append("var")
    name = draw.random.choice(names)
    return Proposal(f"{x.name}.{name}(dim={dims}, keepdim={draw.random.random() < 0.5})")


def along(draw: ProgramSampler) -> Proposal | None:
    """A softmax or scan along an axis."""
    x = draw.floats(1)
    forms = ("torch.softmax({x}, {d})", "torch.log_softmax({x}, {d})", "torch.cumsum({x}, {d})")
    return None if x is None else Proposal(draw.random.choice(forms).format(x=x.name, d=draw.dim(x)))


def position(draw: ProgramSampler) -> Proposal | None:
    """The position of an extreme, of values without ties."""
    x = draw.value(lambda value: value.is_float and value.distinct and value.ndim > 0)
    name = draw.random.choice(["argmax", "argmin"])
    return None if x is None else Proposal(f"{x.name}.{name}(dim={draw.dim(x)})", exact=True)


def normalization(draw: ProgramSampler) -> Proposal | None:
    """A norm, with weights or without."""
    x = draw.value(lambda v: v.is_float and v.ndim >= 2 and _varies(v))
    if x is None:
        return None
    name, size = draw.fresh("norm"), x.shape[-1]
    kind = draw.random.choice(["layer", "rms", "group", "batch", "l2"])
    if kind == "layer":
        return Proposal(f"self.{name}({x.name}.float())", held={name: f"torch.nn.LayerNorm({size})"})
    if kind == "rms":
        mean = f"{x.name}.square().mean(-1, keepdim=True)"
        return Proposal(f"{x.name} * torch.rsqrt({mean} + 1e-5)")
    if kind == "l2":
        return Proposal(f"F.normalize({x.name}, dim={draw.dim(x)})")
    if kind == "batch":
        return Proposal(f"F.batch_norm({x.name}.float(), None, None, training=True)")
    groups = draw.random.choice([g for g in range(1, x.shape[1] + 1) if x.shape[1] % g == 0])
    return Proposal(f"self.{name}({x.name}.float())", held={name: f"torch.nn.GroupNorm({groups}, {x.shape[1]})"})


def _varies(value: Value) -> bool:
    """Whether every row does: what divides by a deviation must not meet zero."""
    rows = value.tensor.float()
    return rows.shape[-1] > 1 and bool(rows.var(-1).min() > 1e-2) and bool(rows.abs().mean(-1).min() > 1e-2)


def view(draw: ProgramSampler) -> Proposal | None:
    """The same elements, moved or fewer."""
    x = draw.value(lambda value: value.ndim >= 1)
    if x is None:
        return None
    d, order = draw.dim(x), draw.random.sample(range(x.ndim), x.ndim)
    forms = [
        f"{x.name}.permute({', '.join(map(str, order))})",
        f"{x.name}.transpose({d}, {draw.dim(x)})",
        f"{x.name}.flatten({draw.random.randrange(x.ndim)})",
        f"{x.name}.unsqueeze({d})",
        f"{x.name}.flip({d})",
        f"torch.roll({x.name}, 2, {d})",
        f"{x.name}[..., 1:]",
        f"{x.name}[::2]",
        f"{x.name}.select({d}, 0)",
        f"{x.name}.narrow({d}, 1, 2)",
        f"{x.name}.reshape(-1, {draw.random.choice([2, 3, 4, 8])})",
        f"{x.name}.transpose(0, -1).contiguous()",
    ]
    return Proposal(draw.random.choice(forms), exact=x.exact, distinct=x.distinct)


def join(draw: ProgramSampler) -> Proposal | None:
    """Values side by side, repeated or padded."""
    x = draw.floats(1)
    y = draw.value(lambda value: x is not None and value.is_float and value.shape == x.shape)
    if x is None or y is None:
        return None
    d = draw.dim(x)
    forms = [
        f"torch.cat([{x.name}, {y.name}], {d})",
        f"torch.stack([{x.name}, {y.name}], {d})",
        f"F.pad({x.name}, (1, 2), value=0.5)",
        f"{x.name}.unsqueeze(0).expand(3, {', '.join(map(str, x.shape))})",
        f"{x.name}.repeat_interleave(2, {d})",
        f"torch.tril({x.name})",
    ]
    return Proposal(draw.random.choice(forms), exact=x.exact and y.exact)


def lookup(draw: ProgramSampler) -> Proposal | None:
    """Elements picked by an input of valid ids."""
    x = draw.floats(1)
    if x is None:
        return None
    ids, d, n = draw.fresh("ids"), draw.random.randrange(x.ndim), draw.size()
    kind = draw.random.choice(["select", "gather", "rows", "embedding"])
    if kind == "embedding":
        table, width = draw.fresh("table"), draw.random.choice([4, 8, 16])
        made = {ids: f"torch.randint(0, 20, ({draw.size()}, {draw.random.choice([2, 3, 5])}))"}
        return Proposal(f"self.{table}({ids})", {table: f"torch.nn.Embedding(20, {width})"}, made)
    if kind == "select":
        made = {ids: f"torch.randint(0, {x.shape[d]}, ({n},))"}
        return Proposal(f"torch.index_select({x.name}, {d}, {ids})", inputs=made, exact=x.exact)
    if kind == "rows":
        made = {ids: f"torch.randint(0, {x.shape[0]}, ({n},))"}
        return Proposal(f"{x.name}[{ids}]", inputs=made, exact=x.exact)
    shape = tuple(n if axis == d else size for axis, size in enumerate(x.shape))
    made = {ids: f"torch.randint(0, {x.shape[d]}, {shape})"}
    return Proposal(f"torch.gather({x.name}, {d}, {ids})", inputs=made, exact=x.exact)


def choice(draw: ProgramSampler) -> Proposal | None:
    """Elements chosen by a mask: an input, a triangle, or a comparison of exact values."""
    x = draw.floats(1)
    if x is None:
        return None
    exact = draw.value(lambda value: value.is_float and value.exact)
    kind = draw.random.choice(["where", "fill", "compare", "band"])
    if kind == "compare" and exact is not None:
        return Proposal(f"torch.where({exact.name} > 0.1, {exact.name}, {exact.name} * 0.25)")
    if kind == "band":
        band = f"torch.arange({x.shape[-1]}, device={x.name}.device) % 3 == 0"
        return Proposal(f"torch.where({band}, {x.name}, 0.5)")
    mask = draw.fresh("mask")
    made = {mask: f"torch.rand({x.shape}) > 0.4"}
    form = f"{x.name}.masked_fill({mask}, 0.0)" if kind == "fill" else f"torch.where({mask}, {x.name}, 1.0)"
    return Proposal(form, inputs=made)


def pooling(draw: ProgramSampler) -> Proposal | None:
    """Windows over the last axes, or sizes changed."""
    x = draw.value(lambda value: value.is_float and value.ndim in (3, 4) and min(value.shape[2:]) >= 2)
    if x is None:
        return None
    axes = x.ndim - 2
    forms = [
        f"F.max_pool{axes}d({x.name}, 2)",
        f"F.max_pool{axes}d({x.name}, 3, stride=2, padding=1)",
        f"F.avg_pool{axes}d({x.name}, 2)",
        f"F.avg_pool{axes}d({x.name}, 3, stride=1, padding=1)",
        f"F.adaptive_avg_pool{axes}d({x.name}, 2)",
        f"F.interpolate({x.name}, scale_factor=2, mode='nearest')",
    ]
    return Proposal(draw.random.choice(forms))


def product(draw: ProgramSampler) -> Proposal | None:
    """A matrix product or a convolution."""
    x = draw.value(lambda value: value.is_float and value.ndim >= 2)
    if x is None:
        return None
    name, n, size = draw.fresh("layer"), draw.size(), x.shape[-1]
    axes, channels = x.ndim - 2, x.shape[1]
    kinds = ["linear", "matmul", "self"] + (["conv", "conv", "transposed"] if axes in (1, 2) else [])
    kind = draw.random.choice(kinds)
    if kind == "linear":
        return Proposal(f"self.{name}({x.name}.float())", held={name: f"torch.nn.Linear({size}, {n})"})
    if kind == "matmul":
        made = f"torch.nn.Parameter(torch.randn({size}, {n}) * {size**-0.5:.3f})"
        return Proposal(f"{x.name}.float() @ self.{name}", held={name: made})
    if kind == "self":
        return Proposal(f"({x.name} @ {x.name}.transpose(-1, -2)) * {size**-0.5:.3f}")
    out = draw.random.choice([2, 3, 4, 8])
    layer = "ConvTranspose" if kind == "transposed" else "Conv"
    options = draw.random.choice(["", ", stride=2", ", padding=1", ", bias=False"])
    made = f"torch.nn.{layer}{axes}d({channels}, {out}, {draw.random.choice([1, 2, 3])}{options})"
    return Proposal(f"self.{name}({x.name}.float())", held={name: made})


def conversion(draw: ProgramSampler) -> Proposal | None:
    """Another dtype."""
    x = draw.floats()
    if x is None:
        return None
    narrow = x.tensor.dtype in (torch.bfloat16, torch.float16)
    dtypes = ["float32"] if narrow else ["bfloat16", "float16"]
    return Proposal(f"{x.name}.to(torch.{draw.random.choice(dtypes)})")


def integers(draw: ProgramSampler) -> Proposal | None:
    """Exact arithmetic on ids, positions and masks."""
    x = draw.value(lambda value: not value.is_float and value.ndim > 0)
    if x is None:
        return None
    if x.tensor.dtype == torch.bool:
        forms = [f"{x.name}.sum({draw.dim(x)})", f"~{x.name}", f"{x.name}.any({draw.dim(x)})", f"{x.name}.float()"]
    else:
        forms = [f"{x.name} * 3 + 1", f"{x.name} % 3", f"{x.name} // 2", f"{x.name}.sum({draw.dim(x)})"]
        forms += [f"{x.name} > 1", f"{x.name}.float() * 0.25", f"{x.name}.cumsum({draw.dim(x)})", f"{x.name} & 5"]
    return Proposal(draw.random.choice(forms), exact=True)


#: Operations and how often each is drawn.
OPERATIONS: Mapping[Operation, int] = {
    unary: 6,
    binary: 4,
    scale: 3,
    reduction: 4,
    along: 2,
    position: 1,
    normalization: 2,
    view: 5,
    join: 2,
    lookup: 2,
    choice: 2,
    pooling: 2,
    product: 4,
    conversion: 1,
    integers: 2,
}
