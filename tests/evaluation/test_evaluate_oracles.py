"""What host code may learn of content, which it must not compute with: numbers it reads, and what a launch changed."""

from collections.abc import Iterator

import pytest

from kernelwright.agent.evaluator import Rung, Status
from kernelwright.evaluation.judge.local import LocalEvaluator
from kernelwright.evaluation.protocol.kernel_text import written_parameters
from kernelwright.frontend.importers import import_source

RUNGS = (Rung.PARSE, Rung.INTERPRET)

WRITTEN = {
    "tl.store(y + i, tl.load(x + i))": "y",
    "p = y + i\ntl.store(p, 1.0)": "y",
    "p = x\nfor j in range(2):\n    p = p + j\n    tl.store(p, 0.0)": "x",
    "if i > 0:\n    p = x\nelse:\n    p = y\ntl.store(p, 0.0)": "xy",
    "tl.atomic_add(y, tl.load(x))": "y",
    "y.atomic_add(1.0)": "y",
    "d = tl.make_tensor_descriptor(y, [4], [1], [4])\nd.store([0], tl.load(x + i))": "y",
    "d = tl.make_block_ptr(x, (4,), (1,), (0,), (4,), (0,))\ntl.store(tl.advance(d, (1,)), 0.0)": "x",
    "tl.store(y + tl.load(x), 1.0)": "y",
    "helper(x, 1)": "x",
    "v = tl.load(x + i)\ntl.store(y + i, v * 2)": "y",
    "tl.store(pointer=x, value=tl.load(y))": "x",
    "p, q = x, y\ntl.store(q, 0.0)": "xy",
    "tl.static_print(x)": "",
}


@pytest.mark.parametrize("body", WRITTEN)
def test_what_a_kernel_may_write_is_known_from_its_text(body: str) -> None:
    lines = "\n".join(f"    {line}" for line in body.split("\n"))
    found = written_parameters(f"def k(x, y, i):\n{lines}\n")
    assert found & {"x", "y"} == set(WRITTEN[body])


REFERENCE = import_source(
    "import torch\n\n\nclass Model(torch.nn.Module):\n    def __init__(self):\n        super().__init__()\n"
    "        self.g = torch.nn.Parameter(torch.ones(1))\n\n    def forward(self, x, n):\n"
    "        return (x * self.g).sum().reshape(1)\n\n\n"
    "def get_inputs():\n    return [torch.randn(8), torch.tensor([8])]\n\n\ndef get_init_inputs():\n    return []\n",
    "scaled_sum",
).reference

PROGRAM = """import math
import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def total(x_ptr, y_ptr, f, N: tl.constexpr):
    tl.store(y_ptr, tl.sum(tl.load(x_ptr + tl.arange(0, N)), axis=0) * f)


@triton.jit
def probe(x_ptr, f_ptr, t):
    if tl.load(x_ptr) > t:
        tl.store(f_ptr, 1.0)


@triton.jit
def copy(x_ptr, y_ptr, j):
    tl.store(y_ptr, tl.load(x_ptr + j))


@triton.jit
def fill(y_ptr, v):
    tl.store(y_ptr, v)


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.g = nn.Parameter(torch.ones(1))

    def forward(self, x, n):
        y = torch.empty(1, device=x.device)
        {body}
        return y
"""
ONE = "z = torch.empty(1, device=x.device); copy[(1,)](x, z, j); "
FLAG = "f = torch.zeros(1, device=x.device); probe[(1,)](x, f, 0.0); "
READS = {
    "a gain": ("total[(1,)](x, y, self.g.item(), N=8)", True),
    "a gain as a float": ("total[(1,)](x, y, float(self.g), N=8)", True),
    "a length": ("total[(min(1, abs(int(n)) + 1),)](x, y, self.g.item(), N=8)", True),
    "a flag that a kernel may write": (FLAG + "total[(1,)](x, y, self.g.item(), N=8)", True),
    "a table of its own": (
        "w = torch.arange(1.0, 3.0, device=x.device)\n"
        "        total[(1,)](x, y, self.g.item() * (w[0].item() + w[1].item()) / 3, N=8)",
        True,
    ),
    "each element": ("fill[(1,)](y, self.g.item() * sum(x[j].item() for j in range(8)))", False),
    "one element": ("fill[(1,)](y, self.g.item() * x[0].item())", False),
    "the largest": ("fill[(1,)](y, x[int(n) - 1].item())", False),
    "as a list": ("fill[(1,)](y, sum(x.tolist()))", False),
    "one by one through kernels": (
        "s = 0.0\n        for j in range(8):\n            " + ONE + "s += z.item()\n        fill[(1,)](y, s)",
        False,
    ),
    "what a kernel may have written": (FLAG + "fill[(1,)](y, float(f.cpu()))", False),
    "whether a flag can still be read": (FLAG + "fill[(1,)](y, 1.0 if f.store.content is None else 0.0)", False),
    "through a float": ("fill[(1,)](y, math.tanh(float(x[0])))", False),
}  # fmt: skip


@pytest.fixture(scope="module")
def evaluator() -> Iterator[LocalEvaluator]:
    with LocalEvaluator(seeds=1, memory_gb=2, use_gpu=False, dialect=False, vocabulary=False) as evaluator:
        yield evaluator


@pytest.mark.parametrize("name", READS)
def test_numbers_that_say_how_to_compute_are_read_and_no_others(name: str, evaluator: LocalEvaluator) -> None:
    body, right = READS[name]
    verdict = evaluator.evaluate_text(PROGRAM.replace("{body}", body), REFERENCE, RUNGS)
    refused = (Status.HOST_COMPUTES, Status.MISMATCH, Status.RUNTIME_ERROR)
    assert verdict.ok if right else verdict.status in refused, verdict


@pytest.mark.parametrize(
    "what",
    [
        "torch.ne(x, 0).sum()",
        "(x * 2).sum()",
        "x.relu()",
        "x.cpu()",
        "x.softmax(0)",
        "x.tolist()",
        "x > 0",
        "x @ x",
        "x.nonzero()",
        "x.long().bincount()",
        "torch.unique(x)",
    ],
)
def test_computing_in_plain_sight_is_no_cheat_and_says_what_to_write(what: str, evaluator: LocalEvaluator) -> None:
    verdict = evaluator.evaluate_text(
        PROGRAM.replace("{body}", f"s = {what}; total[(1,)](x, y, 1.0, N=8)"), REFERENCE, RUNGS
    )
    assert verdict.status is Status.HOST_COMPUTES, verdict
    assert verdict.detail.startswith("host code ") and "write a @triton.jit kernel for it" in verdict.detail


def test_a_cheat_has_evidence(evaluator: LocalEvaluator) -> None:
    verdict = evaluator.evaluate_text(PROGRAM.replace("{body}", "y.zero_()"), REFERENCE, RUNGS)
    assert verdict.status in (Status.MISMATCH, Status.CHEAT), verdict
    graph = evaluator.evaluate_text(PROGRAM.replace("{body}", "torch.cuda.CUDAGraph()"), REFERENCE, RUNGS)
    assert graph.status is Status.CHEAT, graph
