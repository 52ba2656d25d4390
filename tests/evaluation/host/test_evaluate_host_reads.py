"""What any Python may do in host code besides launching: read a few lengths, prepare launches, write in place."""

from collections.abc import Iterator

import pytest

from kernelwright.agent.evaluator import Rung, Status
from kernelwright.evaluation.judge.local import LocalEvaluator
from kernelwright.frontend.importers import import_source
from kernelwright.ir.values import Reference

RUNGS = (Rung.PARSE, Rung.INTERPRET)


@pytest.fixture(scope="module")
def anything() -> Iterator[LocalEvaluator]:
    with LocalEvaluator(
        seeds=1, timeout_s=120, memory_gb=2, use_gpu=False, dialect=False, vocabulary=False, rehearsals=0
    ) as evaluator:
        yield evaluator


def reference(body: str, names: str, inputs: str) -> Reference:
    source = (
        f"import torch\n\n\nclass Model(torch.nn.Module):\n    def forward(self, {names}):\n        {body}\n\n\n"
        f"def get_inputs():\n    return [{inputs}]\n\n\ndef get_init_inputs():\n    return []\n"
    )
    return import_source(source, "read", shrink="never").reference


LENGTHS = reference(
    "return torch.where(torch.arange(20) < lengths[:, None], x * 2, 0.0)",
    "x, lengths",
    "torch.randn(3, 20), torch.tensor([4, 20, 11])",
)
TUNED = reference("return x * 2", "x", "torch.randn(3, 20)")
IN_PLACE = reference("return x.mul_(2)", "x", "torch.randn(3, 20)")


def program(names: str, body: str, above: str = "", store: str = "tl.store(y_ptr + i, x * 2.0, mask=i < n)") -> str:
    lines = "\n".join(f"        {line}" for line in body.splitlines())
    return f"""import torch
import torch.nn as nn
import triton
import triton.language as tl

{above}@triton.jit
def k(x_ptr, y_ptr, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    x = tl.load(x_ptr + i, mask=i < n)
    {store}


class ModelNew(nn.Module):
    def forward(self, {names}):
{lines}
"""


def of_lengths(lengths: str) -> str:
    return program(
        "x, lengths",
        f"y = torch.zeros_like(x)\nx = x.contiguous()\nfor row, length in enumerate({lengths}):\n"
        "    n = max(0, min(int(length), 20))\n    if n:\n        k[(1,)](x[row], y[row], n, B=32)\nreturn y",
    )


_HOOK = """def clean(nargs):
    nargs["y_ptr"].zero_()


@triton.autotune([triton.Config({"B": b}, pre_hook=clean) for b in (32, 64)], key=["n"])
"""
_ADD = "tl.atomic_add(y_ptr + i, x * 2.0, mask=i < n)"
RIGHT = {
    "a list of lengths": (LENGTHS, of_lengths("lengths.tolist()")),
    "lengths on the CPU": (LENGTHS, of_lengths("lengths.cpu()")),
    "lengths in numpy": (LENGTHS, of_lengths("lengths.cpu().numpy()")),
    "lengths one by one": (LENGTHS, of_lengths("[lengths[i].item() for i in range(3)]")),
    "a configuration's hook": (
        TUNED,
        program(
            "x",
            "y = torch.empty_like(x)\nk[lambda m: (triton.cdiv(60, m['B']),)](x.contiguous(), y, 60)\nreturn y",
            _HOOK,
            _ADD,
        ),
    ),
    "a hook of one configuration": (
        TUNED,
        program(
            "x",
            "y = torch.empty_like(x)\nk[lambda m: (triton.cdiv(60, m['B']),)](x.contiguous(), y, 60)\nreturn y",
            _HOOK.replace("(32, 64)", "(32,)"),
            _ADD,
        ),
    ),
    "an input that is written": (IN_PLACE, program("x", "k[(2,)](x, x, 60, B=32)\nreturn x")),
    "an input that a function writes": (
        IN_PLACE,
        program(
            "x",
            "return Twice.apply(x)",
            "class Twice(torch.autograd.Function):\n    @staticmethod\n    def forward(ctx, x):\n"
            "        ctx.mark_dirty(x)\n        k[(2,)](x, x, 60, B=32)\n        return x\n\n\n",
        ),
    ),
}


@pytest.mark.parametrize("name", RIGHT)
def test_honest_host_code_is_accepted(name: str, anything: LocalEvaluator) -> None:
    wanted, text = RIGHT[name]
    right = anything.evaluate_text(text, wanted, RUNGS)
    assert right.ok, right
    wrong = anything.evaluate_text(text.replace("2.0", "2.5"), wanted, RUNGS)
    assert wrong.status is Status.MISMATCH, wrong


WRONG = {
    "numbers that are computed with": (TUNED, program("x", "return torch.tensor(x.tolist(), device='cuda') * 2")),
    "a copy that is computed with": (TUNED, program("x", "return (x.cpu() * 2).cuda()")),
    "a result of whole numbers": (
        reference("return x * 2", "x", "torch.randint(0, 90, (3, 2))"),
        program("x", "return torch.tensor(x.tolist(), device='cuda') * 2"),
    ),
    "more lengths than a few": (
        reference("return x * 2", "x", "torch.randint(0, 90, (5, 40))"),
        program("x", "return torch.tensor(x.tolist(), device='cuda') * 2"),
    ),
}


@pytest.mark.parametrize("name", WRONG)
def test_host_code_that_computes_is_refused(name: str, anything: LocalEvaluator) -> None:
    wanted, text = WRONG[name]
    verdict = anything.evaluate_text(text, wanted, RUNGS)
    assert verdict.status in (Status.HOST_COMPUTES, Status.CHEAT), verdict
