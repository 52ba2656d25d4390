"""What a program counts in a buffer goes on after the judge's calls, and what is switched off may be on."""

from dataclasses import dataclass

import pytest

from kernelwright.agent.evaluator import Rung, Status
from kernelwright.evaluation.judge.local import LocalEvaluator
from kernelwright.frontend.importers import import_source
from kernelwright.ir.values import Reference

RUNGS = (Rung.PARSE, Rung.INTERPRET)
HEAD = """import torch
from torch import nn
import triton
import triton.language as tl


@triton.jit
def k(x_ptr, n_ptr, y_ptr, SIZE: tl.constexpr):
    i = tl.arange(0, SIZE)
    x = tl.load(x_ptr + i)
    n = tl.load(n_ptr)
    {body}
    tl.store(y_ptr + i, y)


"""
MODEL = """class {name}(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("n", {buffer})

    def forward(self, x):
{body}
"""
LAUNCH = """        y = torch.empty_like(x)
        k[(1,)](x, self.n, y, 64)
        return y"""
REST = "\n\ndef get_inputs():\n    return [torch.randn(64)]\n\n\ndef get_init_inputs():\n    return []\n"
COUNTER, SWITCH = "torch.zeros((), dtype=torch.int64)", "torch.zeros((), dtype=torch.bool)"
HEADS, ON = "torch.zeros(64, dtype=torch.bool)", "torch.ones((), dtype=torch.bool)"


@dataclass(frozen=True)
class Counting:
    """A model that holds a buffer `n`, and what a kernel makes of it, rightly and wrongly."""

    name: str
    buffer: str
    forward: tuple[str, ...]
    right: tuple[str, ...]
    wrong: tuple[str, ...]

    @property
    def reference(self) -> Reference:
        """The program, imported."""
        body = "\n".join(" " * 8 + line for line in self.forward)
        source = "import torch\nfrom torch import nn\n\n\n" + MODEL.format(name="Model", buffer=self.buffer, body=body)
        return import_source(source + REST, self.name, shrink="never").reference

    def program(self, lines: tuple[str, ...]) -> str:
        """A program whose kernel has these lines."""
        head = HEAD.format(body="\n    ".join(lines))
        return head + MODEL.format(name="ModelNew", buffer=self.buffer, body=LAUNCH)


STEP = ("self.n += 1",)
NEXT = ("n = n + 1", "tl.store(n_ptr, n)")
TABLE = [
    Counting("a warm-up ends", COUNTER, (*STEP, "return x * (self.n / 100).clamp(max=1)"),
             (*NEXT, "y = x * tl.minimum(n / 100, 1.0)"), (*NEXT, "y = x * (n / 100)")),
    Counting("a warm-up stops", COUNTER, (*STEP, "return x * (self.n / (self.n + 10.0))"),
             (*NEXT, "y = x * (n / (n + 10.0))"),
             (*NEXT, "y = x * (tl.minimum(n, 30) / (tl.minimum(n, 30) + 10.0))")),
    Counting("every eighth call", COUNTER, (*STEP, "return torch.where(self.n % 8 == 0, -x, x)"),
             (*NEXT, "y = tl.where(n % 8 == 0, -x, x)"), (*NEXT, "y = x")),
    Counting("a count that starts again", COUNTER, ("self.n.copy_((self.n + 1) % 128)", "return x * self.n"),
             ("n = (n + 1) % 128", "tl.store(n_ptr, n)", "y = x * n"), (*NEXT, "y = x * n")),
    Counting("a count in few bits", COUNTER, (*STEP, "return x + self.n"), (*NEXT, "y = x + n"),
             (*NEXT, "y = x + (n & 63)")),
    Counting("a correction of a bias", COUNTER, (*STEP, "return x / (1 - 0.9 ** self.n.double()).float()"),
             (*NEXT, "y = x / (1 - tl.exp2(n.to(tl.float32) * -0.15200309344504997))"),
             (*NEXT, "y = x / (1 - tl.exp2(tl.minimum(n, 20).to(tl.float32) * -0.15200309344504997))")),
    Counting("a switch", SWITCH, ("return torch.where(self.n, -x, x)",), ("y = tl.where(n, -x, x)",), ("y = x",)),
    Counting("a switch that is on", ON, ("return torch.where(self.n, x.floor(), x)",),
             ("y = tl.where(n, tl.floor(x), x)",), ("y = tl.floor(x)",)),
    Counting("heads that are left out", HEADS, ("return x.masked_fill(self.n, 0.0)",),
             ("m = tl.load(n_ptr + i)", "y = tl.where(m, 0.0, x)"), ("y = x",)),
    Counting("the first of them", HEADS, ("return x.masked_fill(self.n, 0.0)",),
             ("m = tl.load(n_ptr + i)", "y = tl.where(m, 0.0, x)"), ("y = tl.where(n, 0.0, x)",)),
]  # fmt: skip


@pytest.mark.parametrize("one", TABLE, ids=lambda one: one.name)
def test_what_a_buffer_counts_or_switches_is_read(one: Counting, evaluator: LocalEvaluator) -> None:
    assert evaluator.evaluate_text(one.program(one.wrong), one.reference, RUNGS).status is Status.MISMATCH
    verdict = evaluator.evaluate_text(one.program(one.right), one.reference, RUNGS)
    assert verdict.ok, verdict


def test_a_place_that_must_not_count_on_stays(evaluator: LocalEvaluator) -> None:
    """At most places the program raises: then the count stays as it is, and weights vary all the same."""
    forward = ("assert int(self.n) < 2", "return x * 2 + self.n")
    one = Counting("a small count", COUNTER, forward, ("y = x * 2 + n",), ("y = x * 2",))
    verdict = evaluator.evaluate_text(one.program(one.right), one.reference, RUNGS)
    assert verdict.ok, verdict
