"""Integers that are nothing but places come in any order and more than once; other orders are kept and named."""

import pytest
from siblings import Sibling, tell_apart

from kernelwright.agent.evaluator import Rung
from kernelwright.evaluation.judge.local import LocalEvaluator

RUNGS = (Rung.PARSE, Rung.INTERPRET)
PERMUTED = "return [torch.randn(16, 24), torch.randn(16, 24), torch.randperm(16)]"
SORTED = PERMUTED.replace("torch.randperm(16)", "torch.randint(0, 16, (16,)).sort().values")
EACH = (
    "for j in range(16):\n    to = tl.load(p_ptr + j)\n    v = tl.load(b_ptr + j * N + i, mask=inside, other=0.0)\n    "
)
ADDED = "y = x\n" + EACH + "y += tl.where(to == row, v, 0.0)"
LAST = "y = x\n" + EACH + "y = tl.where(to == row, x + v, y)"
FALLS = "tl.where((n < p) & (row < 15), 0.0, b)"
NEXT = "n = tl.load(p_ptr + (row + 1) % 16)\n"
FROM_X = "y = tl.load(x_ptr + tl.where(p < 0, p + 16, p) * N + i, mask=inside)"


def places(name: str, forward: str, right: str, wrong: str, inputs: str = PERMUTED) -> Sibling:
    return Sibling(name, f"return {forward}", inputs, right, wrong, ("x", "b"), ("p",))


FREE = [
    places("added by rows", "x.index_add(0, p, b)", ADDED,
           LAST),
    places("segments", "x.index_add(0, p, b)", ADDED,
           "y = x\nlast = 0\n" + EACH
           + "y += tl.where((to == row) & (last <= to), v, 0.0)\n    last = tl.maximum(last, to)",
           SORTED),
    places("scattered", "x.scatter_add(0, p[:, None].expand(-1, 24), b)",
           ADDED, LAST),
    places("put and added up", "x.index_put((p,), b, accumulate=True)",
           "y = x\n" + EACH + "y += tl.where((to == row) | (to == row - 16), v, 0.0)",
           "y = x\n" + EACH + "y = tl.where((to == row) | (to == row - 16), x + v, y)"),
    places("counted", "x * torch.bincount(p, minlength=16)[:16, None] + b",
           "c = 0.0\nfor j in range(16):\n    c += tl.where(tl.load(p_ptr + j) == row, 1.0, 0.0)\ny = x * c + b",
           "y = x + b"),
    places("read", "x[p] + b", FROM_X + " + b", NEXT + FROM_X + " + tl.where(n == p, 0.0, b)"),
    places("read in order", "x[p] + b", FROM_X + " + b", NEXT + FROM_X + " + " + FALLS, SORTED),
    places("selected", "x.index_select(0, p.clone()) - b", FROM_X + " - b",
           NEXT + FROM_X + " - tl.where(n == p, 0.0, b)"),
    places("gathered", "x.gather(0, p[:, None].expand(-1, 24)) * b", FROM_X + " * b",
           NEXT + FROM_X + " * tl.where(n == p, 0.0, b)"),
    places("embedded", "F.embedding(p, x) * b", FROM_X + " * b",
           NEXT + FROM_X + " * " + FALLS, SORTED),
]  # fmt: skip
#: What a program reads as numbers, or writes to, may rely on how it comes.
KEPT = [
    (places("copied to", "x.index_copy(0, p, b)",
            "s = tl.zeros_like(x)\nh = 0.0\n" + EACH
            + "s += tl.where(to == row, v, 0.0)\n    h += tl.where(to == row, 1.0, 0.0)\ny = tl.where(h > 0, s, x)",
            ""),
     "a permutation"),
    (places("compared", "torch.where(x > p[:, None], x, b)", "y = tl.where(x > p, x, b)", "", SORTED), "in order"),
    (places("bounds", "torch.searchsorted(p, x).float() + b",
            "c = 0.0\nfor j in range(16):\n    c += tl.where(tl.load(p_ptr + j) < x, 1.0, 0.0)\ny = c + b", "",
            SORTED), "in order"),
]  # fmt: skip


@pytest.mark.parametrize("one", FREE, ids=[one.name for one in FREE])
def test_places_come_in_any_order(one: Sibling, evaluator: LocalEvaluator) -> None:
    right = tell_apart(one, evaluator)
    assert "p" not in right.caliber["draws"]["kept"]


@pytest.mark.parametrize(("one", "kept"), KEPT, ids=[one.name for one, _ in KEPT])
def test_the_caliber_names_what_draws_keep(one: Sibling, kept: str, evaluator: LocalEvaluator) -> None:
    right = evaluator.evaluate_text(one.program(one.right), one.reference, RUNGS)
    assert right.ok, right
    assert right.caliber["draws"]["kept"]["p"][0] == kept
