"""What a reference writes to its inputs and its state is part of what it gives."""

from collections.abc import Iterator

import pytest

from kernelwright.agent.evaluator import Rung, Status
from kernelwright.evaluation.judge.local import LocalEvaluator
from kernelwright.frontend.importers import import_source
from kernelwright.ir.values import Reference

RUNGS = (Rung.PARSE, Rung.INTERPRET)


@pytest.fixture(scope="module")
def evaluator() -> Iterator[LocalEvaluator]:
    with LocalEvaluator(seeds=1, timeout_s=120, memory_gb=2, use_gpu=False) as evaluator:
        yield evaluator


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
def k(x_ptr, w_ptr, b_ptr, mean_ptr, var_ptr, y_ptr, N, C, BLOCK: tl.constexpr):
    c = tl.program_id(0)
    i = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + i * C + c)
    m = tl.sum(x, axis=0) / N
    v = tl.sum((x - m) * (x - m), axis=0) / N
    y = (x - m) * tl.rsqrt(v + 1e-5) * tl.load(w_ptr + c) + tl.load(b_ptr + c)
    tl.store(y_ptr + i * C + c, y)
    tl.store(mean_ptr + c, 0.9 * tl.load(mean_ptr + c) + 0.1 * m)
    tl.store(var_ptr + c, 0.9 * tl.load(var_ptr + c) + 0.1 * v * {unbiased})


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.n = nn.BatchNorm1d(8)

    def forward(self, x):
        y = torch.empty_like(x)
        n = self.n
        k[(8,)](x, n.weight, n.bias, n.running_mean, n.running_var, y, 16, 8, BLOCK=16)
        return y
"""


def test_batch_norm_updates_its_running_statistics(evaluator: LocalEvaluator) -> None:
    """The count of calls, which nothing reads, may stay."""
    wanted = reference("return self.n(x)", "self.n = nn.BatchNorm1d(8)")
    right = evaluator.evaluate_text(BATCH_NORM.format(unbiased="N / (N - 1)"), wanted, RUNGS)
    assert right.ok, right
    wrong = evaluator.evaluate_text(BATCH_NORM.format(unbiased="1.0"), wanted, RUNGS)
    assert wrong.status is Status.MISMATCH and "running_var" in wrong.detail, wrong
