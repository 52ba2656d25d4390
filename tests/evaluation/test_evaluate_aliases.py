"""Memory that outlives a call: outputs that share it with something else, tensors that a program keeps things in."""

from collections.abc import Iterator

import pytest
import torch

from kernelwright.agent.evaluator import Rung, Status
from kernelwright.backend.tensors import share_memory
from kernelwright.evaluation.judge.local import LocalEvaluator
from kernelwright.frontend.importers import import_source
from kernelwright.ir.values import Reference

RUNGS = (Rung.PARSE, Rung.INTERPRET)


@pytest.fixture(scope="module")
def evaluator() -> Iterator[LocalEvaluator]:
    with LocalEvaluator(seeds=1, timeout_s=120, memory_gb=2, use_gpu=False, strength="reward") as evaluator:
        yield evaluator


def reference(result: str) -> Reference:
    source = (
        "import torch\nimport torch.nn as nn\n\n\nclass Model(nn.Module):\n"
        "    def __init__(self):\n        super().__init__()\n        self.w = nn.Parameter(torch.ones(8))\n\n"
        f"    def forward(self, x):\n        y = x * 2\n        return {result}\n\n\n"
        "def get_inputs():\n    return [torch.randn(8, 8)]\n\n\ndef get_init_inputs():\n    return []\n"
    )
    return import_source(source, "doubled", shrink="never").reference


HEAD = """import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def double(x_ptr, y_ptr):
    i = tl.program_id(0) * 8 + tl.arange(0, 8)
    tl.store(y_ptr + i, tl.load(x_ptr + i) * 2)


"""
PROGRAM = """class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.w = nn.Parameter(torch.ones(8))

    def forward(self, x):
        x = x.contiguous()
        y = torch.empty_like(x)
        double[(8,)](x, y)
        z = torch.empty_like(x)
        double[(8,)](x, z)
        return {result}
"""

#: What the reference returns, what a program does, and with what the output shares memory where it must not.
ALIASES = [
    ("y, y.clone()", "y, y", "output out1 shares memory with output out0"),
    ("y, y.clone()", "y, z", ""),
    ("y, y", "y, y", ""),
    ("y, y", "y, z", ""),
    ("y, x.clone()", "y, x", "output out1 shares memory with x"),
    ("y, x.clone()", "y, x.clone()", ""),
    ("y, x", "y, x", ""),
    ("y, x[:, ::2]", "y, x[:, ::2]", ""),
    ("y, x[:, ::2].clone()", "y, x[:, ::2]", "output out1 shares memory with x"),
    ("y, y[2:5].clone()", "y, y[2:5]", "output out1 shares memory with output out0"),
    ("y[:4].clone(), y[4:].clone()", "y[:4], y[4:]", ""),
    ("y[:, ::2].clone(), y[:, 1::2].clone()", "y[:, ::2], y[:, 1::2]", ""),
    ("y, self.w.clone()", "y, self.w", "output out1 shares memory with w"),
    ("y, self.w", "y, self.w", ""),
]


@pytest.mark.parametrize(("result", "returned", "told"), ALIASES)
def test_outputs_share_memory_only_where_the_reference_s_do(
    evaluator: LocalEvaluator, result: str, returned: str, told: str
) -> None:
    text = HEAD + PROGRAM.format(result=returned)
    verdict = evaluator.evaluate_text(text, reference(result), RUNGS)
    assert verdict.status is (Status.MISMATCH if told else Status.OK), verdict
    assert told in verdict.detail


def test_memory_is_shared_by_element() -> None:
    whole = torch.zeros(4, 6)
    assert share_memory(whole, whole[1:3, ::2])
    assert share_memory(whole[:, ::3], whole[:, ::2])
    assert not share_memory(whole[:, ::2], whole[:, 1::2])
    assert not share_memory(whole[:2], whole[2:])
    assert not share_memory(whole, whole.clone())
    assert not share_memory(whole[:0], whole)
    assert share_memory(whole, whole.view(torch.int32))
    assert share_memory(whole.view(torch.float64), whole[:, 2:])


STATEFUL = """@triton.jit
def count(c_ptr):
    tl.store(c_ptr, tl.load(c_ptr) + 1)


@triton.jit
def last(x_ptr, s_ptr):
    i = tl.arange(0, 64)
    tl.store(s_ptr + i, tl.load(x_ptr + i))


@triton.jit
def locked(c_ptr, x_ptr, y_ptr):
    while tl.atomic_cas(c_ptr, 0, 1) == 1:
        pass
    i = tl.program_id(0) * 8 + tl.arange(0, 8)
    tl.store(y_ptr + i, tl.load(x_ptr + i) * 2)
    tl.atomic_xchg(c_ptr, 0)


@triton.jit
def scaled(x_ptr, s_ptr, y_ptr):
    i = tl.program_id(0) * 8 + tl.arange(0, 8)
    tl.store(y_ptr + i, tl.load(x_ptr + i) * tl.load(s_ptr))


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.w = nn.Parameter(torch.ones(8))
        self.c = nn.Parameter(torch.zeros(1, dtype=torch.int32), requires_grad=False)
        self.register_buffer("two", torch.full((1,), 2.0), persistent=False)
        self.register_buffer("s", torch.zeros(8, 8), persistent=False)

    def forward(self, x):
        x = x.contiguous()
        y = torch.empty_like(x)
BODY        return y
"""
#: What forward does, and which tensor it reads what an earlier call has left in.
KEPT = [
    ("double[(8,)](x, y)\ncount[(1,)](self.c)", "self.c"),
    ("last[(1,)](self.s, y)\nlast[(1,)](x, self.s)\ndouble[(8,)](x, y)", "self.s"),
    ("last[(1,)](self.s.view(64), y)\nlast[(1,)](x, self.s.view(64))\ndouble[(8,)](x, y)", "self.s"),
    ("s = self.s\nlast[(1,)](s, y)\nlast[(1,)](x, s)\ndouble[(8,)](x, y)", "self.s"),
    ("count[(1,)](self.c[0])\ndouble[(8,)](x, y)", "self.c"),
    ("double[(8,)](x, y)\ncount[(1,)](self.two)", "self.two"),
    ("double[(8,)](x, y)\nlast[(1,)](x, self.s)", ""),
    ("double[(8,)](x, y)\nlast[(1,)](y, self.s.view(64))", ""),
    ("double[(8,)](x, y)", ""),
    ("scaled[(8,)](x, self.two, y)", ""),
    ("locked[(8,)](self.c, x, y)", ""),
    ("s = torch.empty_like(x)\ndouble[(8,)](x, s)\nlast[(1,)](s, y)", ""),
    ("s = torch.empty_like(self.s)\ndouble[(8,)](x, s)\nlast[(1,)](s, y)", ""),
    ("c = torch.zeros((1,), dtype=torch.int32, device=x.device)\ncount[(1,)](c)\ndouble[(8,)](x, y)", ""),
    ("c = torch.zeros((1,), dtype=torch.int32, device=x.device)\nlocked[(8,)](c, x, y)", ""),
    ("double[(8,)](self.s, y)\ndouble[(8,)](x, y)", ""),
]


@pytest.mark.parametrize(("body", "kept"), KEPT)
def test_nothing_that_a_call_writes_outlives_it(evaluator: LocalEvaluator, body: str, kept: str) -> None:
    lines = "".join(f"        {line}\n" for line in body.split("\n"))
    verdict = evaluator.evaluate_text(HEAD + STATEFUL.replace("BODY", lines), reference("y"), RUNGS)
    assert verdict.status is (Status.RUNTIME_ERROR if kept else Status.OK), verdict
    assert f"an earlier call changed {kept}" in verdict.detail if kept else not verdict.detail


#: What forward does with tensors that it holds, and which of them two calls at the same time mix up.
SHARED = [
    ("double[(8,)](x, self.s)\nlast[(1,)](self.s, y)", "self.s"),
    ("double[(8,)](x, self.s)\nlast[(1,)](self.s.view(64), y)", "self.s"),
    ("s = self.s\ndouble[(8,)](x, s)\nlast[(1,)](s, y)", "self.s"),
    ("last[(1,)](x, self.s)\ndouble[(8,)](self.s, y)", "self.s"),
    ("double[(8,)](x, y)\nlast[(1,)](y, self.s)\nscaled[(1,)](x, self.s[1:], self.s)", "self.s"),
    ("last[(1,)](x, self.s)\nlast[(1,)](x, self.w.new_empty(64))\ndouble[(8,)](self.s, y)", "self.s"),
    ("double[(8,)](x, y)\nlast[(1,)](x, self.s)\nlast[(1,)](self.s, x.new_empty(64))", "self.s"),
    ("scaled[(8,)](x, self.two, y)\ncount[(1,)](self.two)\ncount[(1,)](self.two)", "self.two"),
    ("count[(1,)](self.c)\nlast[(1,)](x, self.s)\ndouble[(8,)](self.s, y)", "self.c"),
    ("s = x.new_empty(64)\ndouble[(8,)](x, s)\nlast[(1,)](s, y)", ""),
    ("s = torch.empty_like(self.s)\nlast[(1,)](x, s)\ndouble[(8,)](s, y)", ""),
    ("last[(1,)](x, self.s)\ndouble[(8,)](x, y)\nlast[(1,)](x, self.s)", ""),
    ("locked[(8,)](self.c, x, y)\nlocked[(8,)](self.c, x, y)", ""),
]


@pytest.mark.parametrize(("body", "shared"), SHARED)
def test_two_calls_at_the_same_time_share_nothing(evaluator: LocalEvaluator, body: str, shared: str) -> None:
    lines = "".join(f"        {line}\n" for line in body.split("\n"))
    verdict = evaluator.evaluate_text(HEAD + STATEFUL.replace("BODY", lines), reference("y"), RUNGS)
    assert verdict.status is (Status.RUNTIME_ERROR if shared else Status.OK), verdict
    if shared:
        assert f"wrote to {shared}" in verdict.detail or f"changed {shared}" in verdict.detail, verdict


@pytest.mark.parametrize("write", ["self.s.copy_(x)", "self.s.fill_(0.0)", "s = self.s\n        s.copy_(x)"])
def test_host_code_that_writes_to_what_it_holds_is_refused_by_its_text(evaluator: LocalEvaluator, write: str) -> None:
    text = HEAD + STATEFUL.replace("BODY", f"        double[(8,)](x, y)\n        {write}\n")
    verdict = evaluator.evaluate_text(text, reference("y"), RUNGS)
    assert verdict.status is Status.UNPARSED
    assert verdict.rung is Rung.PARSE, verdict
