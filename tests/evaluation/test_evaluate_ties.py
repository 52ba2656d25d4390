"""Indices where ties or rounding decide are compared by what is open there; everywhere else they are exact."""

import pytest
from siblings import Sibling, tell_apart

from kernelwright.agent.evaluator import Rung
from kernelwright.evaluation.judge.local import LocalEvaluator

RUNGS = (Rung.PARSE, Rung.INTERPRET)
X = "return [torch.randn(16, 8)]"
ONE = "torch.empty(x.shape[0], dtype=torch.int64, device=x.device)"
ALL = "torch.empty(x.shape, dtype=torch.int64, device=x.device)"
SOFTMAX = "e = tl.exp(x - tl.max(x, axis=0))\np = e / tl.sum(e, axis=0)\n"
FIRST, LAST = "tl.min(tl.where({0} == m, i, 99), axis=0)", "tl.max(tl.where({0} == m, i, -1), axis=0)"


def best(values: str, which: str, before: str = "") -> str:
    return f"{before}m = tl.max({values}, axis=0)\ny = {which.format(values)}.to(tl.int64)"


def ranked(tie: str, order: str = ">", before: str = "") -> str:
    """The place of each element in the sorted row, scattered; `tie` decides between equals."""
    return (
        f"{before}a = v[:, None]\nb = v[None, :]\nj = i[:, None]\nk = i[None, :]\n"
        f"ahead = (b {order} a) | ((b == a) & (k {tie} j))\nrank = tl.sum(ahead.to(tl.int32), axis=1)\n"
        "at = tl.sum(tl.where(rank[:, None] == k, j, 0), axis=0)\ny = at.to(tl.int64)"
    )


TOPK, SORT = (
    "return torch.softmax(x, 1).topk(1, dim=1).indices[:, 0]",
    "return x.round().sort(1, descending=True).indices",
)
ROUNDED = "v = libdevice.rint(x)\n"
TABLE = [
    Sibling("topk, the first of equals", TOPK, X, best("p", FIRST, SOFTMAX), "y = (row % 8).to(tl.int64)",
            out=ONE, scalar=True),
    Sibling("topk, the last of equals", TOPK, X, best("p", LAST, SOFTMAX), best("-p", FIRST, SOFTMAX),
            out=ONE, scalar=True),
    Sibling("topk of what was rounded", "return x.round().topk(1, dim=1).indices[:, 0]", X,
            best("v", LAST, ROUNDED), best("v", FIRST, "v = x + i * 0.3\n"), out=ONE, scalar=True),
    Sibling("sort, equals as they come", SORT, X, ranked("<", before=ROUNDED), ranked("<", "<", ROUNDED), out=ALL),
    Sibling("sort, equals the other way round", SORT, X, ranked(">", before=ROUNDED), "y = i.to(tl.int64)", out=ALL),
    Sibling("argsort", "return x.round().argsort(1)", X, ranked(">", "<", ROUNDED), ranked(">", ">", ROUNDED), out=ALL),
    Sibling("argmax, the first of equals", "return x.argmax(1)", X, best("x", FIRST), best("x", LAST),
            out=ONE, scalar=True),
    Sibling("argmin, the first of equals", "return x.argmin(1)", X,
            best("v", FIRST, "v = -x\n"), best("v", LAST, "v = -x\n"),
            out=ONE, scalar=True),
    Sibling("a stable sort", "return x.round().sort(dim=1, stable=True).indices", X, ranked("<", "<", ROUNDED),
            ranked(">", "<", ROUNDED), out=ALL),
    Sibling("argsort of halves", "return x.half().argsort(1)", "return [torch.randn(16, 8).mul(2).round().div(2)]",
            ranked(">", "<", "v = x\n"), "y = i.to(tl.int64)", out=ALL),
    Sibling("a sort with neighbours exchanged", SORT, X, ranked("<", before=ROUNDED),
            ranked("<", before=ROUNDED) + "\nw = (i[:, None] ^ 1) == i[None, :]\n"
            "y = tl.sum(tl.where(w, at[None, :], 0), axis=1).to(tl.int64)", out=ALL),
    Sibling("a sort that names one twice", SORT, X, ranked(">", before=ROUNDED),
            ranked("<", before=ROUNDED) + "\ny = tl.where(i == 7, tl.max(tl.where(i == 6, y, 0), axis=0), y)", out=ALL),
    Sibling("the nearest of what rounding makes equal", "d = (x - 0.3).square() - 0.09\nreturn d.argmin(1)", X,
            best("v", FIRST, "v = -((x - 0.3) * (x - 0.3) - 0.09)\n"), best("v", FIRST, "v = -(x - 0.2) * (x - 0.2)\n"),
            out=ONE, scalar=True),
]  # fmt: skip


def whole(name: str, forward: str, right: str, open_at: str, dtype: str = "int64") -> Sibling:
    """Whole numbers of which rounding decides some, where the wrong program gives 0."""
    out = f"torch.empty(x.shape, dtype=torch.{dtype}, device=x.device)"
    wrong = f"y = tl.where({open_at}, 0.0, {right})"
    ends = f".to(tl.{dtype})"
    return Sibling(name, f"return {forward}.to(torch.{dtype})", X, f"y = ({right}){ends}", f"{wrong}{ends}", out=out)


HALF, WHOLE = "tl.abs(x - libdevice.trunc({0})) == 0.5", "x == libdevice.rint(x)"
OPEN = [
    *(whole(f"rounded to {dtype}", "x.round()", "libdevice.rint(x)", HALF.format("x"), dtype)
      for dtype in ("int8", "int16", "int32", "int64")),
    whole("floor", "x.floor()", "tl.floor(x)", WHOLE),
    whole("ceil", "x.ceil()", "tl.ceil(x)", WHOLE),
    whole("trunc", "x.trunc()", "libdevice.trunc(x)", WHOLE),
    whole("rounded from a size", "x.abs().round()", "libdevice.rint(tl.abs(x))", HALF.format("x")),
]  # fmt: skip


@pytest.mark.parametrize("one", OPEN, ids=lambda one: one.name)
def test_what_rounding_decides_is_what_it_may_be(one: Sibling, evaluator: LocalEvaluator) -> None:
    tell_apart(one, evaluator)


@pytest.mark.parametrize("one", TABLE, ids=lambda one: one.name)
def test_only_what_is_open_is_open(one: Sibling, evaluator: LocalEvaluator) -> None:
    tell_apart(one, evaluator)
