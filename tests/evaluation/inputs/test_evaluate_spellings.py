"""Kernels have no `log1p`: what they write in its place is right, also where large factors follow."""

import pytest
import torch
from siblings import Sibling, tell_apart

from kernelwright.evaluation.checks.spellings import Respelled
from kernelwright.evaluation.judge.local import LocalEvaluator

X = "return [torch.randn(16, 24), torch.randn(16, 24)]"
STABLE = "tl.maximum({0}, 0.0) + tl.log(1 + tl.exp(-tl.abs({0})))"


def far(name: str, forward: str, right: str, wrong: str) -> Sibling:
    return Sibling(name, f"return {forward}", X, right, wrong, ("x", "w"))


TABLE = [
    far("softplus", "F.softplus(x) * w ** 3", f"y = ({STABLE.format('x')}) * w * w * w",
        "y = tl.maximum(x, 0.0) * w * w * w"),
    far("softplus of a slope", "F.softplus(x, beta=2.0) * w ** 3",
        f"z = 2 * x\ny = ({STABLE.format('z')}) / 2 * w * w * w", f"y = ({STABLE.format('x')}) * w * w * w"),
    far("log1p", "torch.log1p(torch.exp(-x.abs())) * w ** 3", "y = tl.log(1 + tl.exp(-tl.abs(x))) * w * w * w",
        "y = tl.exp(-tl.abs(x)) * w * w * w"),
    far("expm1", "torch.expm1(-x.abs()) * w ** 3", "y = (tl.exp(-tl.abs(x)) - 1) * w * w * w",
        "y = -tl.abs(x) * w * w * w"),
    far("logsigmoid", "F.logsigmoid(x) * w ** 3",
        "y = (tl.minimum(x, 0.0) - tl.log(1 + tl.exp(-tl.abs(x)))) * w * w * w",
        "y = tl.minimum(x, 0.0) * w * w * w"),
    far("logaddexp", "(torch.logaddexp(x, w) - torch.maximum(x, w)) * w ** 3",
        "y = tl.log(1 + tl.exp(-tl.abs(x - w))) * w * w * w", "y = tl.exp(-tl.abs(x - w)) * w * w * w"),
    far("a step of a scan", "torch.exp(-F.softplus(x)) * w + F.softplus(x) * w ** 3",
        f"d = {STABLE.format('x')}\ny = tl.exp(-d) * w + d * w * w * w",
        f"d = {STABLE.format('x')}\ny = w + d * w * w * w"),
    far("two of them", "F.softplus(x) * torch.expm1(-w.abs()) * w ** 2",
        f"y = ({STABLE.format('x')}) * (tl.exp(-tl.abs(w)) - 1) * w * w", f"y = -({STABLE.format('x')}) * w * w"),
    far("a quotient", "torch.log1p(x.square()) * w.square() * w", "y = tl.log(1 + x * x) * w * w * w",
        "y = x * x * w * w * w"),
]  # fmt: skip


@pytest.mark.parametrize("one", TABLE, ids=lambda one: one.name)
def test_what_kernels_write_in_the_place_of_log1p_is_right(one: Sibling, evaluator: LocalEvaluator) -> None:
    tell_apart(one, evaluator)


@pytest.mark.parametrize(
    "function",
    [
        torch.log1p,
        torch.expm1,
        torch.nn.functional.softplus,
        lambda x: torch.nn.functional.softplus(x, 2.0, 5.0),
        torch.nn.functional.logsigmoid,
        lambda x: torch.logaddexp(x, x.flip(0)),
    ],
)
def test_another_spelling_gives_the_same_but_for_rounding(function) -> None:
    x = torch.linspace(-0.9, 30.0, 400)
    with Respelled() as mode:
        found = function(x)
    assert mode.used
    torch.testing.assert_close(found, function(x), rtol=1e-5, atol=1e-6)
    with Respelled() as mode:
        torch.exp(x)
    assert not mode.used
