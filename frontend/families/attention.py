"""Attention: causal, masked, biased, windowed, with other scores than softmax, in heads and linear."""

from kernelwright.frontend.families.family import family
from kernelwright.frontend.families.pointwise import few
from kernelwright.frontend.families.sketch import Sketch

_WEIGHTS = (
    "torch.softmax({s}, dim=-1)",
    "torch.softmax({s}, dim=-1)",
    "torch.softmax({s}, dim=-1)",
    "torch.relu({s}) / {n}.0",
    "torch.sigmoid({s} + {a})",
    "torch.square(torch.relu({s}))",
    "torch.tanh({s})",
    "torch.exp(-torch.abs({s}))",
)


@family("attention")
def attention(sketch: Sketch) -> None:
    """One attention, its operands given or projected, its result perhaps finished."""
    heads = sketch.one((2,), (3,), (2, 2), (1, 4))
    queries, width = sketch.one(5, 7, 8, 12), sketch.one(4, 6, 8, 16)
    keys = queries if sketch.chance(0.6) else sketch.one(6, 8, 9)
    kind = sketch.one(_given, _given, _projected, _linear)
    few(sketch, kind(sketch, heads, queries, keys, width), 2)


def _given(sketch: Sketch, heads: tuple[int, ...], queries: int, keys: int, width: int) -> str:
    q, k, v = (sketch.input(*heads, size, width) for size in (queries, keys, keys))
    q, k = few(sketch, q, 1), few(sketch, k, 1) if sketch.chance(0.4) else k
    return _attended(sketch, q, k, v, queries, keys, width)


def _projected(sketch: Sketch, heads: tuple[int, ...], queries: int, _keys: int, width: int) -> str:
    value = few(sketch, sketch.input(heads[0], queries, width), 1)
    parts = []
    for _ in range(3):
        bias = sketch.one("", ", bias=False")
        parts.append(sketch.let(f"{sketch.layer(f'torch.nn.Linear({width}, {width}{bias})')}({value})"))
    if width % 2 == 0 and sketch.chance(0.5):
        split = f".view({heads[0]}, {queries}, 2, {width // 2}).transpose(1, 2)"
        q, k, v = (sketch.let(f"{part}{split}") for part in parts)
        found = _attended(sketch, q, k, v, queries, queries, width // 2)
        return sketch.let(f"{found}.transpose(1, 2).reshape({heads[0]}, {queries}, {width})")
    q, k, v = parts
    return _attended(sketch, q, k, v, queries, queries, width)


def _attended(sketch: Sketch, q: str, k: str, v: str, queries: int, keys: int, width: int) -> str:
    if sketch.chance(0.15):
        causal = ", is_causal=True" if queries == keys and sketch.chance(0.6) else ""
        scale = f", scale={sketch.number(0.1, 0.6)}" if sketch.chance(0.5) else ""
        return sketch.let(f"F.scaled_dot_product_attention({q}, {k}, {v}{causal}{scale})")
    scale = sketch.one(f"{width**-0.5:.3f}", f"{width**-0.5:.3f}", str(sketch.number(0.1, 0.6)))
    scores = sketch.let(sketch.one(f"{q} @ {k}.transpose(-1, -2) * {scale}", f"({q} * {scale}) @ {k}.mT"))
    scores = _changed(sketch, scores, queries, keys)
    form = sketch.one(*_WEIGHTS).format(s=scores, n=keys, a=-sketch.number(0.1, 1.5))
    weights = sketch.let(form)
    if sketch.chance(0.2):
        weights = sketch.let(f"{weights} * {sketch.number(0.5, 1.5)}")
    return sketch.let(f"{weights} @ {v}")


def _changed(sketch: Sketch, scores: str, queries: int, keys: int) -> str:
    """Scores as they are, masked, biased or capped."""
    kind = sketch.one("", "", "mask", "bias", "window", "cap", "slope")
    row, column = (f"torch.arange({size}, device={scores}.device)" for size in (queries, keys))
    if kind == "mask":
        mask = sketch.input(queries, keys, made="(torch.rand({}) > 0.8)")
        return sketch.let(f"{scores}.masked_fill({mask}, -1e4)")
    if kind == "bias":
        return sketch.let(f"{scores} + {sketch.weight(*sketch.one((queries, keys), (keys,), (queries, 1)))}")
    if kind == "window":
        form = sketch.one("{c} - {r} > {n}", "({r} - {c}).abs() > {n}", "{r} - {c} > {n}").format(
            r=f"{row}[:, None]", c=column, n=sketch.one(0, 1, 2, 3)
        )
        return sketch.let(f"{scores}.masked_fill({form}, -1e4)")
    if kind == "cap":
        cap = sketch.number(1, 5)
        return sketch.let(f"torch.tanh({scores} / {cap}) * {cap}")
    if kind == "slope":
        return sketch.let(f"{scores} - {sketch.number(0.05, 0.6)} * ({row}[:, None] - {column}).abs()")
    return scores


def _linear(sketch: Sketch, heads: tuple[int, ...], queries: int, keys: int, width: int) -> str:
    form = sketch.one("F.elu({x}) + 1.0", "torch.relu({x}) + {e}", "torch.softmax({x}, -1)", "torch.exp(-{x}.abs())")
    given = [sketch.input(*heads, size, width) for size in (queries, keys, keys)]
    q, k = (sketch.let(form.format(x=one, e=sketch.number(0.01, 0.5))) for one in given[:2])
    state = sketch.let(f"{k}.transpose(-1, -2) @ {given[2]} * {1 / keys:.3f}")
    found = sketch.let(f"{q} @ {state}")
    if sketch.chance(0.6):
        found = sketch.let(f"{found} / ({q} @ {k}.mean(-2).unsqueeze(-1) + {sketch.number(0.1, 1)})")
    return found
