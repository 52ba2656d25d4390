"""What a reference writes to its inputs and its state is part of what it gives."""

import pytest

from kernelwright.agent.evaluator import Rung, Status
from kernelwright.evaluation.checks.sides import elements
from kernelwright.evaluation.inputs.weights import NUDGES
from kernelwright.evaluation.judge.local import LocalEvaluator
from kernelwright.frontend.importers import import_source
from kernelwright.ir.values import Reference

RUNGS = (Rung.PARSE, Rung.INTERPRET)


def reference(forward: str, init: str = "pass") -> Reference:
    source = (
        "import torch\nimport torch.nn as nn\nimport torch.nn.functional as F\n\n\nclass Model(nn.Module):\n"
        f"    def __init__(self):\n        super().__init__()\n        {init}\n\n    def forward(self, x):\n"
        + "".join(f"        {line}\n" for line in forward.split("\n"))
        + "\n\ndef get_inputs():\n    return [torch.randn(16, 8)]\n\n\ndef get_init_inputs():\n    return []\n"
    )
    return import_source(source, "stateful", shrink="never").reference


#: A kernel over the columns of x, 16 rows of 8, which have a state `s` of 8; the body may write to either.
KERNEL = """import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def k(x_ptr, s_ptr, y_ptr, N, C, BLOCK: tl.constexpr):
    c = tl.program_id(0)
    i = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + i * C + c)
    s = tl.load(s_ptr + c)
    m = tl.sum(x, axis=0) / N
    tl.debug_barrier()
"""
NATIVE = "\n\ndef forward(x, s):\n    y = torch.empty_like(x)\n    k[(8,)](x, s, y, 16, 8, BLOCK=16)\n    return y\n"
CLASS = """

class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("s", torch.{maker})

    def forward(self, x):
        y = torch.empty_like(x)
        k[(8,)](x, self.s, y, 16, 8, BLOCK=16)
        return y
"""
MEAN = "tl.store(y_ptr + i * C + c, x - m)"
SUM = "tl.store(y_ptr + i * C + c, x + s)"

#: forward, what makes the state, the right body, and wrong ones.
TABLE = {
    "a running mean": (
        "m = x.mean(0)\nself.s.mul_(0.9).add_(0.1 * m)\nreturn x - m", "zeros(8)",
        f"tl.store(s_ptr + c, 0.9 * s + 0.1 * m)\n{MEAN}",
        (MEAN, f"tl.store(s_ptr + c, 0.9 * s + 0.2 * m)\n{MEAN}", f"tl.store(s_ptr + c, m)\n{MEAN}"),
    ),
    "a count": (
        "self.s.add_(1)\nreturn x + 1", "zeros(8, dtype=torch.int64)",
        "tl.store(s_ptr + c, s + 1)\ntl.store(y_ptr + i * C + c, x + 1)",
        ("tl.store(y_ptr + i * C + c, x + 1)", "tl.store(s_ptr + c, s + 2)\ntl.store(y_ptr + i * C + c, x + 1)"),
    ),
    "the last input": (
        "y = x + self.s\nself.s.copy_(x[0])\nreturn y", "zeros(8)",
        f"tl.store(s_ptr + c, tl.load(x_ptr + c))\n{SUM}",
        (SUM, f"tl.store(s_ptr + c, tl.load(x_ptr + C + c))\n{SUM}"),
    ),
    "the largest so far": (
        "self.s.copy_(torch.maximum(self.s, x.abs().amax(0)))\nreturn x * 2", "zeros(8)",
        "tl.store(s_ptr + c, tl.maximum(s, tl.max(tl.abs(x), axis=0)))\ntl.store(y_ptr + i * C + c, x * 2)",
        ("tl.store(y_ptr + i * C + c, x * 2)",
         "tl.store(s_ptr + c, tl.maximum(s, tl.max(x, axis=0)))\ntl.store(y_ptr + i * C + c, x * 2)"),
    ),
    "state that is set back": (
        "y = x + self.s\nself.s.zero_()\nreturn y", "ones(8)",
        f"tl.store(s_ptr + c, 0.0)\n{SUM}", (SUM, f"tl.store(s_ptr + c, 1e-3)\n{SUM}"),
    ),
}  # fmt: skip


def body(lines: str) -> str:
    return KERNEL + "".join(f"    {line}\n" for line in lines.split("\n"))


@pytest.mark.parametrize("form", ["native", "class"])
@pytest.mark.parametrize("name", TABLE)
def test_state_that_the_reference_writes_is_compared(name: str, form: str, evaluator: LocalEvaluator) -> None:
    forward, maker, right, wrongs = TABLE[name]
    wanted = reference(forward, f"self.register_buffer('s', torch.{maker})")
    end = NATIVE if form == "native" else CLASS.format(maker=maker)
    verdict = evaluator.evaluate_text(body(right) + end, wanted, RUNGS)
    assert verdict.ok, verdict
    for wrong in wrongs:
        verdict = evaluator.evaluate_text(body(wrong) + end, wanted, RUNGS)
        assert verdict.status is Status.MISMATCH and "updated s" in verdict.detail, verdict


def test_a_program_that_holds_no_state_does_not_update_it(evaluator: LocalEvaluator) -> None:
    wanted = reference("self.s.add_(1)\nreturn x + 1", "self.register_buffer('s', torch.zeros(8))")
    stateless = body("tl.store(y_ptr + i * C + c, x + 1)") + CLASS.format(maker="zeros(8)").replace(
        '        self.register_buffer("s", torch.zeros(8))\n', ""
    ).replace("self.s", "x")
    verdict = evaluator.evaluate_text(stateless, wanted, RUNGS)
    assert verdict.status is Status.MISMATCH and "holds it nowhere" in verdict.detail, verdict


@pytest.mark.parametrize(
    ("forward", "store", "ok"),
    [
        ("return x.mul_(2)", "tl.store(x_ptr + i * C + c, x * 2)\ntl.store(y_ptr + i * C + c, x * 2)", True),
        ("return x.mul_(2)", "tl.store(y_ptr + i * C + c, x * 2)", False),
        ("return x.mul_(2)", "tl.store(x_ptr + i * C + c, x)\ntl.store(y_ptr + i * C + c, x * 2)", False),
        (
            "y = x * 2\nx.zero_()\nreturn y",
            "tl.store(x_ptr + i * C + c, 0.0)\ntl.store(y_ptr + i * C + c, x * 2)",
            True,
        ),
        ("y = x * 2\nx.zero_()\nreturn y", "tl.store(y_ptr + i * C + c, x * 2)", False),
        ("return x * 2", "tl.store(x_ptr + i * C + c, x * 2)\ntl.store(y_ptr + i * C + c, x * 2)", False),
    ],
)
def test_inputs_that_the_reference_writes_are_compared(
    forward: str, store: str, ok: bool, evaluator: LocalEvaluator
) -> None:
    native = NATIVE.replace("x, s)", "x)", 1).replace("(x, s, y", "(x, x, y")
    verdict = evaluator.evaluate_text(body(store) + native, reference(forward), RUNGS)
    assert verdict.ok if ok else verdict.status is Status.MISMATCH, verdict


BATCH_NORM = """import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def k(x_ptr, w_ptr, b_ptr, mean_ptr, var_ptr, y_ptr, N, C, TRAINING, BLOCK: tl.constexpr):
    c = tl.program_id(0)
    i = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + i * C + c)
    m = tl.load(mean_ptr + c)
    v = tl.load(var_ptr + c)
    if TRAINING:
        running_m, running_v = m, v
        m = tl.sum(x, axis=0) / N
        v = tl.sum((x - m) * (x - m), axis=0) / N
        tl.store(mean_ptr + c, 0.9 * running_m + 0.1 * m)
        tl.store(var_ptr + c, 0.9 * running_v + 0.1 * v * {unbiased})
    y = (x - m) * tl.rsqrt(v + 1e-5) * tl.load(w_ptr + c) + tl.load(b_ptr + c)
    tl.store(y_ptr + i * C + c, y)


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.n = nn.BatchNorm1d(8)

    def forward(self, x):
        y = torch.empty_like(x)
        n = self.n
        k[(8,)](x, n.weight, n.bias, n.running_mean, n.running_var, y, 16, 8, {training}, BLOCK=16)
        return y
"""


def test_batch_norm_updates_its_running_statistics(evaluator: LocalEvaluator) -> None:
    """The count of calls, which nothing reads, may stay."""
    wanted = reference("return self.n(x)", "self.n = nn.BatchNorm1d(8)")
    right = evaluator.evaluate_text(BATCH_NORM.format(unbiased="N / (N - 1)", training="self.training"), wanted, RUNGS)
    assert right.ok and "eval" in right.caliber["draws"]["made"], right
    wrong = evaluator.evaluate_text(BATCH_NORM.format(unbiased="1.0", training="self.training"), wanted, RUNGS)
    assert wrong.status is Status.MISMATCH and "running_var" in wrong.detail, wrong
    wrong = evaluator.evaluate_text(BATCH_NORM.format(unbiased="N / (N - 1)", training="True"), wanted, RUNGS)
    assert wrong.status is Status.MISMATCH and "[inputs eval" in wrong.detail, wrong


def test_noise_shows_in_what_a_program_changes(evaluator: LocalEvaluator) -> None:
    """What is left of a sum may be a million times smaller than its terms, and eager is right about it by luck."""
    lines = "self.s.copy_((1000 * x).sum(0))\nx.mul_(3)\nreturn x.sum()"
    wanted = reference(lines, "self.register_buffer('s', torch.zeros(8))")
    given, *_ = evaluator.truth(wanted, Rung.INTERPRET).passes
    state, scaled = ({one.name: one for one in given.left}[name] for name in ("s", "x"))
    for left, least in ((state, 1e-5), (scaled, 1e-8)):
        noise = [abs(elements(one) - elements(left.eager)).max() for one in left.nudged]
        assert len(noise) == NUDGES and min(noise) > least, (left.name, noise)


MODES = """import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def k(x_ptr, s_ptr, y_ptr, N, C, TRAINING, BLOCK: tl.constexpr):
    c = tl.program_id(0)
    i = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + i * C + c)
    s = tl.load(s_ptr + c)
    y = x
    if {condition}:
        {training}
    else:
        {evaluation}
    tl.store(y_ptr + i * C + c, y)


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("s", torch.zeros(8))

    def forward(self, x):
        y = torch.empty_like(x)
        k[(8,)](x, self.s, y, 16, 8, self.training, BLOCK=16)
        return y
"""
#: What forward gives while training and else, and what a kernel does then.
MODE_TABLE = {
    "a scale": ("x * 2", "x * 3", "y = x * 2", "y = x * 3"),
    "an offset": ("x", "x + self.s", "y = x", "y = x + s"),
    "a clamp": ("x", "x.clamp(-0.5, 0.5)", "y = x", "y = tl.minimum(tl.maximum(x, -0.5), 0.5)"),
    "running centre": ("x - x.mean(0)", "x - self.s", "y = x - tl.sum(x, axis=0) / N", "y = x - s"),
    "depth": ("x + 0.9 * torch.relu(x)", "x + torch.relu(x)", "y = x + 0.9 * tl.maximum(x, 0.0)",
              "y = x + tl.maximum(x, 0.0)"),
    "an update": ("x + self.s.add_(1)", "x + self.s", "tl.store(s_ptr + c, s + 1)\n        y = x + s + 1", "y = x + s"),
    "a function of torch's": (
        "F.batch_norm(x, None, None, None, None, True)", "F.batch_norm(x, self.s, self.s.abs(), training=False)",
        "x -= tl.sum(x, axis=0) / N\n        y = x * tl.rsqrt(tl.sum(x * x, axis=0) / N + 1e-5)",
        "y = (x - s) * tl.rsqrt(tl.abs(s) + 1e-5)",
    ),
    "a sign": ("x", "x * (1 - 2 * (x < 0).float())", "y = x", "y = tl.abs(x)"),
}  # fmt: skip


@pytest.mark.parametrize("name", MODE_TABLE)
def test_both_modes_of_a_model_are_judged(name: str, evaluator: LocalEvaluator) -> None:
    forward, other, training, evaluation = MODE_TABLE[name]
    lines = f"if self.training:\n    return {forward}\nreturn {other}"
    wanted = reference(lines, "self.register_buffer('s', torch.zeros(8))")
    right = MODES.format(condition="TRAINING", training=training, evaluation=evaluation)
    verdict = evaluator.evaluate_text(right, wanted, RUNGS)
    assert verdict.ok, verdict
    wrong = MODES.format(condition="N", training=training, evaluation=evaluation)
    verdict = evaluator.evaluate_text(wrong, wanted, RUNGS)
    assert verdict.status is Status.MISMATCH and "[inputs eval" in verdict.detail, verdict


@pytest.mark.parametrize("init", ["self.eval()", "pass"])
def test_a_model_with_one_mode_is_judged_in_that(init: str, evaluator: LocalEvaluator) -> None:
    forward = "return x * 2 if self.training else x * 3" if init == "self.eval()" else "return x * 3"
    text = MODES.format(condition="N", training="y = x * 3", evaluation="y = x")
    verdict = evaluator.evaluate_text(text, reference(forward, init), RUNGS)
    assert verdict.ok and "eval" not in verdict.caliber["draws"]["made"], verdict


def test_a_function_does_what_the_model_does_in_training(evaluator: LocalEvaluator) -> None:
    """It is not told the mode; the verdict names the draws that were made."""
    wanted = reference("return x + 1 if self.training else x")
    native = NATIVE.replace("x, s)", "x)", 1).replace("(x, s, y", "(x, x, y")
    verdict = evaluator.evaluate_text(body("tl.store(y_ptr + i * C + c, x + 1)") + native, wanted, RUNGS)
    assert verdict.ok and "eval" not in verdict.caliber["draws"]["made"], verdict
