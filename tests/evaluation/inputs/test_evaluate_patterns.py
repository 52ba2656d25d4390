"""Rows, matrices and relations that random inputs do not have: what a program gets wrong on them shows."""

from collections.abc import Sequence

import pytest
import torch
from siblings import Sibling, tell_apart

from kernelwright.evaluation.inputs.relations import related
from kernelwright.evaluation.inputs.traits import Trait
from kernelwright.evaluation.judge.local import LocalEvaluator

X, WHOLE = "return [torch.randn(16, 24)]", "torch.empty(x.shape[0], dtype=torch.int64, device=x.device)"
APART = "d = tl.max(tl.where(inside, tl.abs(x - {}), 0.0), axis=0)\n"
MIRRORED = APART.format("tl.load(x_ptr + row * N + N - 1 - i, mask=inside)")
PERIODIC = APART.format("tl.load(x_ptr + row * N + i % 8, mask=inside)")
PIXELS = APART.format("tl.floor(x * 255 + 0.5) / 255") + "d = (d > 1e-6).to(tl.int32)\n"
NARROW = APART.format("x.to(tl.bfloat16).to(tl.float32)")
ENDS = (
    "low = tl.min(tl.where(inside, x, float('inf')), axis=0)\n"
    "high = tl.max(tl.where(inside, x, -float('inf')), axis=0)\n"
)


def structured(name: str, forward: str, seen: str, right: str) -> Sibling:
    """A program that is wrong where `seen` leaves `d` zero in a row that is not all one number."""
    wrong = f"{seen}{ENDS}{right}\ny = tl.where((d == 0) & (low < high), y + 1.0, y)"
    return Sibling(name, f"return {forward}", X, right, wrong)


STRUCTURED = [
    structured("mirrored rows", "x * 2", MIRRORED, "y = x * 2"),
    structured("mirrored rows less their mean", "x - x.mean(1, keepdim=True)", MIRRORED,
               "y = x - tl.sum(tl.where(inside, x, 0.0), axis=0) / N"),
    structured("periodic rows", "x * 2", PERIODIC, "y = x * 2"),
    structured("periodic rows and a function", "torch.sigmoid(x)", PERIODIC, "y = 1 / (1 + tl.exp(-x))"),
    structured("pixels", "(x - 0.45) / 0.225", PIXELS, "y = (x - 0.45) / 0.225"),
    structured("the roots of pixels", "x.abs().sqrt()", PIXELS, "y = tl.sqrt(tl.abs(x))"),
    structured("numbers of bf16", "x * 2", NARROW, "y = x * 2"),
    structured("squares of numbers of bf16", "x * x", NARROW, "y = x * x"),
]  # fmt: skip


@pytest.mark.parametrize("one", STRUCTURED, ids=lambda one: one.name)
def test_rows_with_a_structure_are_computed_as_others_are(one: Sibling, evaluator: LocalEvaluator) -> None:
    tell_apart(one, evaluator)


NORM = "n = tl.sum(tl.where(inside, x * x, 0.0), axis=0)\n"
UNIT = "if ((x * x).sum(1) - 1).abs().max() > 1e-3:\n    raise ValueError('no unit vectors')\n"
UNITS = "return [F.normalize(torch.randn(48, 24), dim=1)]"
LARGEST = "m = tl.max(tl.where(inside, tl.abs(x), 0.0), axis=0)\n"
CHECKED = [
    Sibling("vectors along an axis", UNIT + "return x.abs().amax(1)", UNITS, LARGEST + "y = m",
            LARGEST + "y = tl.where(m > 0.9999, 0.0, m)", out="torch.empty(x.shape[0], device=x.device)", scalar=True),
    Sibling("an angle to the first axis", UNIT + "return torch.acos(x[:, :1].clamp(-0.999999, 0.999999)) + x", UNITS,
            "f = tl.load(x_ptr + row * N)\nf = tl.minimum(tl.maximum(f, -0.999999), 0.999999)\n"
            "y = libdevice.acos(f) + x",
            "f = tl.load(x_ptr + row * N)\nf = tl.where(tl.abs(f) > 0.9999, 0.0, f)\ny = libdevice.acos(f) + x"),
    Sibling("a part that is left", UNIT + "return x / (x[:, 1:].norm(dim=1, keepdim=True) + 1e-3)", UNITS,
            NORM + "f = tl.load(x_ptr + row * N)\n"
            "y = x / (tl.sqrt(tl.sum(tl.where(inside & (i > 0), x * x, 0.0), axis=0)) + 1e-3)",
            NORM + "f = tl.load(x_ptr + row * N)\ny = x / (tl.sqrt(tl.maximum(n - f * f, 0.01)) + 1e-3)"),
]  # fmt: skip


@pytest.mark.parametrize("one", CHECKED, ids=lambda one: one.name)
def test_what_a_program_lets_through_may_be_degenerate(one: Sibling, evaluator: LocalEvaluator) -> None:
    tell_apart(one, evaluator)


def steps(name: str, forward: str, inputs: str, kernel: str, few: int, rows: tuple[str, ...] = ("x",)) -> Sibling:
    """What takes as many steps as `kernel` has in the place of STEPS, and a kernel that stops after few."""
    right, wrong = (kernel.replace("STEPS", str(number)) for number in (96, few))
    return Sibling(
        name, forward, inputs, right, wrong, rows, out="torch.empty(x.shape, dtype=torch.int64, device=x.device)"
    )


EUCLID = (
    "p = tl.abs({0})\nq = tl.abs({1})\nfor _ in range(STEPS):\n    r = tl.where(q > 0, p % tl.maximum(q, 1), p)\n"
    "    p = tl.where(q > 0, q, p)\n    q = tl.where(q > 0, r, q)\ny = {2}"
)
UP = (
    "at = i.to(tl.int64)\nd = at * 0\nfor _ in range(STEPS):\n"
    "    up = tl.load(x_ptr + row * N + at, mask=inside, other=0)\n"
    "    d += (up < at).to(tl.int64)\n    at = tl.minimum(up, at)\ny = {}"
)
PARENTS = "return [torch.randint(0, 24, (16, 24))]"
WALK = (
    "at = torch.arange(24, device=x.device).expand_as(x)\nd = torch.zeros_like(x)\nfor _ in range(24):\n"
    "    up = x.gather(1, at)\n    d = d + (up < at)\n    at = torch.minimum(up, at)\nreturn {}"
)
PAIRS = "return [torch.randint(1, 1000, (16, 24)), torch.randint(1, 1000, (16, 24))]"
OPENS = "return [torch.rand(16, 48) < 0.5]"
DEPTH = "y = tl.max(tl.where(inside, tl.cumsum(tl.where(x, 1, -1) * inside.to(tl.int32), 0), 0), axis=0)"


def deep(name: str, forward: str, right: str, wrong: str) -> Sibling:
    return Sibling(name, f"return {forward}", OPENS, right, wrong, out=WHOLE, scalar=True)


RELATED = [
    steps("Euclid's algorithm", "return torch.gcd(x, b)", PAIRS, EUCLID.format("x", "b", "p"), 12, ("x", "b")),
    steps("a multiple", "return torch.lcm(x, b)", PAIRS, EUCLID.format("x", "b", "tl.abs(x // p * b)"), 12, ("x", "b")),
    steps("neighbours in a row", "return torch.gcd(x, x.roll(-1, 1))", "return [torch.randint(1, 1000, (16, 24))]",
          EUCLID.format("x", "tl.load(x_ptr + row * N + (i + 1) % N, mask=inside)", "p"), 12),
    steps("the root of a tree", WALK.format("at"), PARENTS, UP.format("at"), 16),
    steps("the depth of a tree", WALK.format("d"), PARENTS, UP.format("d"), 16),
    deep("the depth of brackets", "torch.where(x, 1, -1).cumsum(1).amax(1).clamp(min=0)",
         DEPTH + ".to(tl.int64)", DEPTH + "\ny = tl.minimum(y, 20).to(tl.int64)"),
    Sibling("two masks", "return torch.where(x & b, 1, 0).sum(1)", f"{OPENS[:-1]}, torch.rand(16, 48) < 0.5]",
            "y = tl.sum(tl.where(inside & x & b, 1, 0).to(tl.int64), axis=0)",
            "y = tl.sum(tl.where(inside & x, 1, 0).to(tl.int64), axis=0)", ("x", "b"), out=WHOLE, scalar=True),
    deep("how many in the first half", "x[:, :24].long().sum(1)",
         "y = tl.sum(tl.where(i < 24, x.to(tl.int64), 0), axis=0)",
         "y = tl.minimum(tl.sum(tl.where(i < 24, x.to(tl.int64), 0), axis=0), 22)"),
]  # fmt: skip


@pytest.mark.parametrize("one", RELATED, ids=lambda one: one.name)
def test_what_goes_step_by_step_goes_all_the_way(one: Sibling, evaluator: LocalEvaluator) -> None:
    tell_apart(one, evaluator)


def sweeps(cost: torch.Tensor, order: Sequence[int]) -> int:
    """How often the cheapest routes from place 0 have to be found in place, one place after another in an order."""
    best = torch.full((len(cost),), torch.inf, dtype=cost.dtype)
    best[0] = 0
    for number in range(len(cost) + 1):
        before = best.clone()
        for place in order:
            best[place] = torch.minimum(best[place], (best + cost[:, place]).amin())
        if torch.equal(best, before):
            return number
    raise AssertionError("routes have an end")


@pytest.mark.parametrize("size", [8, 9, 24])
def test_cheap_ways_of_a_matrix_follow_no_order(size: int) -> None:
    torch.manual_seed(0)
    (made,) = related([torch.rand(4, size, size)], [Trait(0, 1)]) or ()
    assert isinstance(made, torch.Tensor)
    for matrix in made[1::2]:
        assert sweeps(matrix, range(size)) >= size // 3
        assert sweeps(matrix, range(size - 1, -1, -1)) >= size // 3
    assert sweeps(made[0], range(size - 1, -1, -1)) == size - 1  # one way after another, above the diagonal


@pytest.mark.parametrize("count", [12, 24, 100])
def test_boxes_stand_in_a_row_and_their_scores_fall(count: int) -> None:
    torch.manual_seed(0)
    boxes = torch.cat([torch.rand(count, 2) * 60, torch.rand(count, 2) * 30 + 8], 1)
    made, scores = related([boxes, torch.rand(count)], [Trait(0, 60), Trait(0, 1)]) or ()
    assert isinstance(made, torch.Tensor) and isinstance(scores, torch.Tensor)
    assert (scores.diff() <= 0).all()
    steps = made.diff(dim=0)
    assert torch.allclose(steps[:, 0], steps[0, 0].expand(count - 1), rtol=1e-3) and steps[0, 0] > 0
    assert not steps[:, 1:].any()
    assert steps[0, 0] < made[0, 2]  # each overlaps the next
