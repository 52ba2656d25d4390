"""Kernels that work out `1 - beta` in fp32 are as right as those that are given it."""

import pytest
from siblings import Sibling, tell_apart

from kernelwright.agent.evaluator import Rung
from kernelwright.evaluation.judge.local import LocalEvaluator

RUNGS = (Rung.PARSE, Rung.INTERPRET)
INPUTS = "return [torch.rand(16, 24), torch.randn(16, 24)]"


def averaged(beta: float, term: str, after: str = "y") -> Sibling:
    """An average of `x` with a term of `g`, as optimizers keep it; the wrong one weighs the term 0.1% too much."""
    kernel = f"b = tl.full((), {{}}, tl.float32)\ny = b * x + (1 - b) * {term}\n"
    kernel += "" if after == "y" else f"y = {after.replace('torch.', 'tl.')}"
    return Sibling(
        f"{term} by {beta}, {after}",
        f"y = {beta} * x + (1 - {beta}) * {term}\nreturn {after}",
        INPUTS,
        kernel.format(beta).rstrip(),
        kernel.format(1 - 1.001 * (1 - beta)).rstrip(),
        rows=("x", "g"),
    )


SIBLINGS = [
    *(averaged(beta, term) for beta in (0.9, 0.99, 0.999) for term in ("g", "g * g")),
    averaged(0.9995, "g * g"),
    averaged(0.999, "g * g", "torch.sqrt(torch.abs(y))"),
    averaged(0.999, "g * g * x"),
]


@pytest.mark.parametrize("one", SIBLINGS, ids=[one.name for one in SIBLINGS])
def test_what_rounding_leaves_of_a_weight_is_no_fault(evaluator: LocalEvaluator, one: Sibling) -> None:
    tell_apart(one, evaluator)
