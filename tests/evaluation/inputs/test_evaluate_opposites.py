"""Sums of few terms that are added up in 16 bits: large terms that cancel each other out show them."""

from collections.abc import Iterator

import pytest
import torch
from siblings import Sibling, tell_apart

from kernelwright.agent.evaluator import Rung
from kernelwright.evaluation.inputs.opposites import (
    alike,
    make_alike,
    opposites,
    places_of,
    put_opposites,
)
from kernelwright.evaluation.judge.local import LocalEvaluator
from kernelwright.frontend.importers import import_source
from kernelwright.frontend.lower_inductor import LowerInductor
from kernelwright.ir.passes import Context

RUNGS = (Rung.PARSE, Rung.INTERPRET)
_ROW = "torch.empty(x.shape[0], device=x.device, dtype=x.dtype)"
_TERMS = "p = x.to(tl.float32) * w.to(tl.float32)\n"
#: Adds up the terms `p` one after another in a dtype.
_STEPS = (
    "s = tl.sum(p * 0, axis=0).to(tl.{0})\nfor j in range(BLOCK):\n"
    "    s += tl.sum(tl.where(i == j, p, 0.0), axis=0).to(tl.{0})\ny = s.to(tl.float32)"
)
_BACKWARDS = _STEPS.replace("i == j", "i == BLOCK - 1 - j")
#: Halves of the terms, each of which is stored in 16 bits; what is in a half cancels out there.
_HALVES = (
    "y = tl.sum(tl.where(i < BLOCK // 2, p, 0.0), axis=0).to(tl.bfloat16).to(tl.float32)\n"
    "y += tl.sum(tl.where(i < BLOCK // 2, 0.0, p), axis=0).to(tl.bfloat16).to(tl.float32)"
)
BF16, FP16 = "return [torch.randn(24, 16).bfloat16()]", "return [torch.randn(24, 16).half()]"
_HELD = {
    "bf16": {"held": ("w",), "init": "self.w = nn.Parameter(torch.randn(16).bfloat16())"},
    "fp16": {"held": ("w",), "init": "self.w = nn.Parameter(torch.randn(16).half())"},
}
_WEIGHED = "return x @ self.w"


def _sum(name: str, forward: str, inputs: str, right: str, wrong: str, kind: str = "bf16") -> Sibling:
    held = _HELD[kind] if "self.w" in forward else {}
    return Sibling(name, forward, inputs, right, wrong, out=_ROW, scalar=True, **held)  # type: ignore[arg-type]


_ACTIVE = "p = x.to(tl.float32) * tl.sigmoid(x.to(tl.float32)) * w.to(tl.float32)\n"
_FP32, _IN_BF16, _IN_FP16 = (_STEPS.format(one) for one in ("float32", "bfloat16", "float16"))
_X = "p = x.to(tl.float32)\n"
SUMS = [
    _sum("one after another", _WEIGHED, BF16, _TERMS + _FP32, _TERMS + _IN_BF16),
    _sum("one after another", _WEIGHED, FP16, _TERMS + _FP32, _TERMS + _IN_FP16, "fp16"),
    _sum("from the end", _WEIGHED, BF16, _TERMS + _BACKWARDS.format("float32"), _TERMS + _BACKWARDS.format("bfloat16")),
    _sum("in halves that are rounded", _WEIGHED, BF16, _TERMS + _HALVES, _TERMS + _IN_BF16),
    _sum("of rounded products", _WEIGHED, BF16, _TERMS.replace("\n", "\np = p.to(tl.bfloat16).to(tl.float32)\n")
         + "y = tl.sum(p.to(tl.bfloat16), axis=0)", _TERMS + _IN_BF16),
    _sum("in a tree", _WEIGHED, FP16, _TERMS + "y = tl.sum(p, axis=0)",
         _TERMS + "y = tl.sum(p.to(tl.float16), axis=0).to(tl.float32)", "fp16"),
    _sum("without weights", "return x.sum(1)", BF16, _X + _FP32, _X + _IN_BF16),
    _sum("a mean", "return x.mean(1)", FP16, _X + _FP32 + " / N", _X + _IN_FP16 + " / N"),
    _sum("with something added", "return x @ self.w + 1", BF16, _TERMS + _FP32 + " + 1.0",
         _TERMS + _IN_BF16 + " + 1.0"),
    _sum("after an activation", "return F.silu(x) @ self.w", BF16,
         _ACTIVE + _FP32, _ACTIVE + _IN_BF16),
]  # fmt: skip


@pytest.fixture(scope="module")
def evaluator() -> Iterator[LocalEvaluator]:
    with LocalEvaluator(seeds=1, memory_gb=4, use_gpu=False, seed=1) as evaluator:
        yield evaluator


@pytest.mark.parametrize("one", SUMS, ids=lambda one: f"{one.forward}: {one.name}")
def test_right_passes_and_wrong_does_not(one: Sibling, evaluator: LocalEvaluator) -> None:
    tell_apart(one, evaluator)


@pytest.mark.parametrize("seed", [3, 5, 12])
def test_noise_hides_nothing_beside_large_terms(seed: int) -> None:
    """With these seeds nudged inputs, in which large terms leave much, had made the limit too large."""
    with LocalEvaluator(seeds=1, memory_gb=4, use_gpu=False, seed=seed) as evaluator:
        tell_apart(SUMS[-1], evaluator)


PROGRAM = """import torch
import torch.nn as nn
import torch.nn.functional as F


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        {init}
        self.to(torch.bfloat16)

    def forward(self, {names}):
        return {result}


def get_inputs():
    return [{inputs}]


def get_init_inputs():
    return []
"""
_A, _B = "torch.randn(8, 16).bfloat16()", "torch.randn(16, 8).bfloat16()"
_HEADS = ", ".join(["torch.randn(2, 4, 16, 8).bfloat16()"] * 3)
_IMAGE = "torch.randn(2, 8, 6, 6).bfloat16()"
#: Name: lines of `__init__`, arguments, result, inputs, and whether there is a sum in which large terms cancel out.
TAKEN = {
    "a product": ("pass", "a, b", "a @ b", f"{_A}, {_B}", True),
    "a linear layer": ("self.a = nn.Linear(16, 8)", "x", "self.a(F.gelu(x))", _A, True),
    "a convolution": ("self.c = nn.Conv2d(8, 8, 3, padding=1)", "x", "self.c(x)", _IMAGE, True),
    "attention": ("pass", "q, k, v", "F.scaled_dot_product_attention(q, k, v)", _HEADS, True),
    "a scale of one element": ("pass", "a, b, s", "(a @ b) * s", f"{_A}, {_B}, torch.randn(1).bfloat16()", True),
    "a mean over places": ("pass", "x", "x.mean((2, 3))", _IMAGE, True),
    "products one by one": ("pass", "a, b", "a * b", f"{_A}, {_A}", False),
    "a norm": ("self.n = nn.LayerNorm(16)", "x", "self.n(x)", _A, False),
    "a running sum": ("pass", "x", "x.cumsum(1)", _A, False),
    "a maximum": ("pass", "x", "x.amax(1)", _A, False),
    "a sum of rounded sums": ("pass", "a, b", "(a + b).sum(1)", f"{_A}, {_A}", False),
    "an output in fp32": ("pass", "a, b", "(a @ b).float()", f"{_A}, {_B}", False),
}


@pytest.mark.parametrize("name", TAKEN)
def test_a_program_takes_opposites_where_its_sums_cancel_them_out(name: str, evaluator: LocalEvaluator) -> None:
    init, names, result, inputs, taken = TAKEN[name]
    text = PROGRAM.format(init=init, names=names, result=result, inputs=inputs)
    module = LowerInductor().run(import_source(text, "program", shrink="never"), Context())
    kinds = {one.draw.kind for one in evaluator.truth(module.reference, Rung.INTERPRET).passes}
    assert ("opposites" in kinds) is taken
    verdict = evaluator.evaluate(module, RUNGS)
    assert verdict.ok, verdict


def test_opposites_are_neighbours_inside_of_every_four_places() -> None:
    torch.manual_seed(0)
    value = torch.randn(3, 10, 5, dtype=torch.float64)
    made = opposites(value, 1)
    assert torch.equal(made[:, 1::4][:, :2], -made[:, 2::4]) and not made.sum(1).abs().gt(made[:, 1].abs()).any()
    assert made[:, 1].abs().mean() > 100 * made[:, 0].abs().mean()
    both = alike(value)
    assert torch.equal(both[:, 1:9:4], both[:, 2:10:4]) and both.shape == value.shape
    assert torch.equal(both[0, 0, 0], value[0, 0, 0]) and torch.equal(both[:, :, 1], both[:, :, 2])


@pytest.mark.parametrize(("computed", "cancels"), [("w @ a", True), ("w * a.T", False)])
def test_the_one_place_of_a_sum_is_found_among_many_inputs(computed: str, cancels: bool) -> None:
    torch.manual_seed(0)
    w, a, *more = (torch.randn(8, 8, dtype=torch.float64).bfloat16() for _ in range(9))
    make_alike([w, a, *more])
    for first in range(18):
        found = []
        for tensor, dimension in places_of([w, a, *more], [], first):
            before = tensor.clone()
            done = put_opposites(tensor, dimension, lambda: (eval(computed, {"w": w, "a": a}) + sum(more),))
            found += [dimension] if done else []
            tensor.copy_(before)
        assert sorted(found) == ([0, 1] if cancels else []), first
