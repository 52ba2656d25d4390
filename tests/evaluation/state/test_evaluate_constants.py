"""A verdict's notes name the constants of a model that a program does not read: it holds for their values alone."""

from collections.abc import Iterator

import pytest

from kernelwright.agent.evaluator import Rung, Verdict
from kernelwright.evaluation.judge.local import LocalEvaluator
from kernelwright.frontend.importers import import_source

SOURCE = """import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("slopes", torch.arange(8.0), persistent=PERSISTENT)
        self.doubled = (self.slopes * 2).tolist()

    def forward(self, x):
        return x * USED


def get_inputs():
    return [torch.randn(16, 8)]


def get_init_inputs():
    return []
"""
KERNEL = """import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def k(x_ptr, slopes, y_ptr, B: tl.constexpr):
    i = tl.arange(0, B)
    tl.store(y_ptr + i, tl.load(x_ptr + i) * FACTOR)
"""
NATIVE = "\n\ndef forward(ARGUMENTS):\n    y = torch.empty_like(x)\n    k[(1,)](x, GIVEN, y, B=128)\n    return y\n"
CLASS = """

class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("slopes", torch.arange(8.0), persistent=PERSISTENT)

    def forward(self, x):
        y = torch.empty_like(x)
        k[(1,)](x, GIVEN, y, B=128)
        return y
"""
READS, CONSTANT = "tl.load(slopes + i % 8)", "(i % 8).to(tl.float32)"

#: Programs by the text behind the kernel, what it multiplies by, and what the kernel is given for its second argument;
#: whether the reference saves its buffer, and what it computes with.
NOTED = {
    "a function": (NATIVE.replace("ARGUMENTS", "x"), CONSTANT, "x", False, "self.slopes"),
    "a function that says so": (NATIVE.replace("ARGUMENTS", "x"), "(i - i // 8 * 8)", "x", False, "self.slopes"),
    "a class": (CLASS, CONSTANT, "x", False, "self.slopes"),
    "a class by its sizes": (CLASS, CONSTANT, "x", False, "self.slopes[None]"),
}
SILENT = {
    "a function that reads it": (
        NATIVE.replace("ARGUMENTS", "x, slopes"),
        READS,
        "slopes",
        False,
        "self.slopes",
    ),
    "a class that reads it": (CLASS, READS, "self.slopes", False, "self.slopes"),
    "a saved buffer": (CLASS, READS, "self.slopes", True, "self.slopes"),
    "a constant that the reference does not read": (CLASS, "2.0", "x", False, "2.0"),
    "a constant of its constructor alone": (CLASS, "6.0", "x", False, "self.doubled[3]"),
}


@pytest.fixture(scope="module")
def judge() -> Iterator[LocalEvaluator]:
    with LocalEvaluator(seeds=1, timeout_s=60, memory_gb=2, use_gpu=False) as evaluator:
        yield evaluator


def verdict(judge: LocalEvaluator, row: tuple[str, str, str, bool, str]) -> Verdict:
    text, factor, given, saved, used = row
    source = SOURCE.replace("PERSISTENT", str(saved)).replace("USED", used)
    program = (KERNEL.replace("FACTOR", factor) + text).replace("PERSISTENT", str(saved)).replace("GIVEN", given)
    reference = import_source(source, "scaled", shrink="never").reference
    return judge.evaluate_text(program, reference, (Rung.PARSE, Rung.INTERPRET))


@pytest.mark.parametrize("name", [*NOTED, *SILENT])
def test_notes_name_what_is_not_read(judge: LocalEvaluator, name: str) -> None:
    found = verdict(judge, (NOTED | SILENT)[name])
    assert found.ok, found
    told = [note for note in found.caliber["notes"] if "constant" in note]
    assert told == ["constant slopes is not read: right for the values that it begins with"] * (name in NOTED)
