"""Kernels have no `log1p`: what they write in its place is right, also where large factors follow."""

import pytest
import torch
from siblings import Sibling, tell_apart

from kernelwright.evaluation.inputs.spellings import Respelled
from kernelwright.evaluation.judge.local import LocalEvaluator

X = "return [torch.randn(16, 24), torch.randn(16, 24)]"
ROW_SUM = (
    "z = tl.where(inside, x * 30, -float('inf'))\nm = tl.max(z, axis=0)\n"
    "s = tl.sum(tl.where(inside, tl.exp(z - m), 0.0), axis=0)\n"
)
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
    Sibling("a softmax's logarithm", "return -torch.log_softmax(x * 30, 1).amax(1)", "return [torch.randn(16, 24)]",
            f"{ROW_SUM}y = (m + tl.log(s)) - m", f"{ROW_SUM}y = (m + tl.log(s)) - m + 1e-3",
            out="torch.empty(x.shape[0], device=x.device)", scalar=True),
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
        torch.exp,
        torch.sigmoid,
        lambda x: torch.pow(3.0, x),
        lambda x: x.reshape(20, 20).mean(1),
        lambda x: torch.nn.functional.layer_norm((9 * x).sin().reshape(20, 20), (20,), x[:20], x[20:40]),
        lambda x: torch.nn.functional.layer_norm((9 * x).sin().reshape(20, 4, 5), (4, 5)),
        lambda x: torch.nn.functional.instance_norm((9 * x).sin().reshape(5, 20, 4)),
        lambda x: torch.nn.functional.batch_norm((9 * x).sin().reshape(20, 5, 4), None, None, x[:5], x[:5], True),
        lambda x: torch.nn.functional.group_norm((9 * x).sin().reshape(5, 20, 4), 4, x[:20], x[20:40]),
    ],
)
def test_another_spelling_gives_the_same_but_for_rounding(function) -> None:
    x = torch.linspace(-0.9, 30.0, 400)
    with Respelled() as mode:
        found = function(x)
    assert mode.used
    torch.testing.assert_close(found, function(x), rtol=1e-5, atol=1e-6)
    with Respelled() as mode:
        torch.square(x) / 3 + x.sum()
    assert not mode.used


#: The mean of a row that is off by a unit of rounding, as a GPU's is that multiplies by `1 / N`.
NORM = """wide = tl.where(inside, x, 0.0).to(tl.float32)
m = tl.sum(wide, 0) / N * 1.0000001
d = tl.where(inside, wide - m, 0.0)
y = d * tl.rsqrt(tl.sum(d * d, 0) / N + {eps})"""
HALF = "return [torch.randn(16, 24).to(torch.bfloat16)]"


def norm(name: str, forward: str, eps: str, wrong: str, inputs: str = HALF) -> Sibling:
    return Sibling(name, f"return {forward}", inputs, NORM.format(eps=eps), NORM.format(eps=wrong))


def waves(name: str, rates: str, right: str, wrong: str) -> Sibling:
    forward = f"return torch.sin(x * {rates.format('torch.arange(24, device=x.device)')})"
    return Sibling(name, forward, "return [torch.randn(3, 24)]", f"y = tl.sin(x * {right})", f"y = tl.sin(x * {wrong})")


LEFT_OVER = [
    norm("layer norm in bf16", "F.layer_norm(x, (24,), eps=1e-12)", "1e-12", "1e-5"),
    norm("layer norm, another eps", "F.layer_norm(x, (24,), eps=1e-10)", "1e-10", "1e-6"),
    norm("layer norm, the usual eps", "F.layer_norm(x, (24,))", "1e-5", "1e-3"),
    norm("layer norm in fp16", "F.layer_norm(x, (24,), eps=1e-12)", "1e-12", "1e-5", HALF.replace("bfloat", "float")),
    norm("layer norm in fp32", "F.layer_norm(x, (24,), eps=1e-12)", "1e-12", "1e-7", HALF.replace("bfloat16", "float")),
    norm("group norm", "F.group_norm(x, 1, eps=1e-12)", "1e-12", "1e-5"),
    norm("instance norm", "F.instance_norm(x[None], eps=1e-12)[0]", "1e-12", "1e-5"),
    norm("batch norm", "F.batch_norm(x.mT, None, None, training=True, eps=1e-10).mT.contiguous()", "1e-10", "1e-6"),
    norm("made of its parts", "((x.float() - x.float().mean(-1, keepdim=True)) * torch.rsqrt("
         "(x.float() - x.float().mean(-1, keepdim=True)).square().mean(-1, keepdim=True) + 1e-12)).to(x.dtype)",
         "1e-12", "1e-5"),
    waves("rates that grow", "torch.exp(0.3 * {})", "tl.exp2(i.to(tl.float32) * 0.43280851226668904)",
          "tl.exp(i.to(tl.float32) * 0.3002)"),
    waves("rates that fall", "torch.exp(-0.4 * {})", "tl.exp2(i.to(tl.float32) * -0.5770780163555854)",
          "tl.exp(i.to(tl.float32) * -0.4002)"),
    waves("rates of whole numbers", "(0.1 * torch.exp({} // 3))", "(0.1 * tl.exp2((i // 3).to(tl.float32) * "
          "1.4426950408889634))", "(0.1 * tl.exp((i // 3).to(tl.float32) * 1.001))"),
    waves("powers of a number", "1.3 ** {}", "tl.exp2(i.to(tl.float32) * 0.37851162325372983)",
          "tl.exp2(i.to(tl.float32) * 0.379)"),
]  # fmt: skip


@pytest.mark.parametrize("one", LEFT_OVER, ids=lambda one: one.name)
def test_what_rounding_leaves_is_nobodys_fault(one: Sibling, evaluator: LocalEvaluator) -> None:
    tell_apart(one, evaluator)
