"""Inputs reach a candidate as the reference's user has them in memory: with their gaps, overlaps and offsets."""

import numpy as np
import pytest
import torch

from kernelwright.agent.evaluator import Rung, Status
from kernelwright.backend.tensors import copy_of, each_once
from kernelwright.evaluation.checks.correctness import compare_output
from kernelwright.evaluation.checks.expected import Expected
from kernelwright.evaluation.inputs.draws import apply_kind
from kernelwright.evaluation.judge.local import LocalEvaluator
from kernelwright.evaluation.protocol.tensors import from_raw, to_raw
from kernelwright.evaluation.protocol.wire import RawTensor
from kernelwright.frontend.importers import import_source
from kernelwright.ir.layout import shares_elements, span
from kernelwright.ir.values import Reference, Tolerance

RUNGS = (Rung.PARSE, Rung.INTERPRET)

#: How the input lies in memory, as `get_inputs` makes it: of two dimensions.
LAYOUTS = {
    "rows with room behind them": "torch.randn(8, 12)[:, :5]",
    "rows with room before them": "torch.randn(8, 12)[:, 5:]",
    "gaps in both dimensions": "torch.randn(8, 12)[::2, 1::3]",
    "transposed": "torch.randn(5, 7).t()",
    "every second row": "torch.randn(16, 6)[::2]",
    "one column": "torch.randn(9, 4)[:, 2:3]",
    "one row for all": "torch.randn(1, 6).expand(4, 6)",
    "one number for a row": "torch.randn(4, 1).expand(4, 6)",
    "one number for all": "torch.randn(1, 1).expand(4, 6)",
    "a sliding window": "torch.randn(12).unfold(0, 4, 1)",
    "a sliding window with steps": "torch.randn(16).unfold(0, 4, 2)",
    "the middle of a line": "torch.randn(40)[3:33].reshape(5, 6)",
}

STRIDED = """import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def k(x_ptr, y_ptr, N, row_step, column_step, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    i = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + row * row_step + i * column_step, mask=i < N)
    tl.store(y_ptr + row * N + i, x * 2.0 + 1.0, mask=i < N)


class ModelNew(nn.Module):
    def forward(self, x):
        y = torch.empty(x.shape, dtype=x.dtype, device=x.device)
        k[(x.shape[0],)](x, y, x.shape[1], {strides}, BLOCK=16)
        return y
"""
RIGHT = STRIDED.format(strides="x.stride(0), x.stride(1)")
WRONG = STRIDED.format(strides="x.shape[1], 1")


def reference(inputs: str, body: str = "x * 2.0 + 1.0") -> Reference:
    source = (
        f"import torch\n\n\nclass Model(torch.nn.Module):\n    def forward(self, x):\n        return {body}\n\n\n"
        f"def get_inputs():\n    return [{inputs}]\n\n\ndef get_init_inputs():\n    return []\n"
    )
    return import_source(source, "laid_out", shrink="never").reference


@pytest.mark.parametrize("name", LAYOUTS)
def test_strides_count(name: str, evaluator: LocalEvaluator) -> None:
    """A kernel that goes by strides is right; one that takes rows for dense is not, unless they are."""
    wanted = reference(LAYOUTS[name])
    right = evaluator.evaluate_text(RIGHT, wanted, RUNGS)
    assert right.ok, right
    wrong = evaluator.evaluate_text(WRONG, wanted, RUNGS)
    dense = name == "the middle of a line"
    assert wrong.ok if dense else wrong.status in (Status.MISMATCH, Status.RUNTIME_ERROR), wrong


@pytest.mark.parametrize("step", [1, 2, 3])
def test_what_lies_between_an_inputs_elements_is_nobodys(step: int, evaluator: LocalEvaluator) -> None:
    """A kernel that writes there changes what belongs to another tensor."""
    lines = "    tl.store(y_ptr + row * N + i, x * 2.0 + 1.0, mask=i < N)\n"
    spoiling = RIGHT.replace(lines, lines + f"    tl.store(x_ptr + row * row_step + {step}, 0.0)\n")
    wanted = reference("torch.randn(4, 8)[:, :1]")
    verdict = evaluator.evaluate_text(spoiling, wanted, RUNGS)
    assert verdict.status in (Status.MISMATCH, Status.RUNTIME_ERROR), verdict


def test_misaligned_inputs_stay_so(evaluator: LocalEvaluator) -> None:
    wanted = reference("torch.randn(41)[1:].reshape(5, 8)")
    asserted = RIGHT.replace(
        "        y = torch.empty", "        assert x.storage_offset() == 1\n        y = torch.empty"
    )
    assert evaluator.evaluate_text(RIGHT, wanted, RUNGS).ok
    with LocalEvaluator(seeds=1, timeout_s=120, memory_gb=2, use_gpu=False, dialect=False, vocabulary=False) as loose:
        assert loose.evaluate_text(asserted, wanted, RUNGS).ok


@pytest.mark.parametrize("name", LAYOUTS)
def test_tensors_travel_as_they_lie(name: str) -> None:
    torch.manual_seed(3)
    given = eval(LAYOUTS[name])
    for again in (from_raw(to_raw(given)), copy_of(given), apply_kind([given], "normal", 5)[0]):
        assert isinstance(again, torch.Tensor)
        assert (again.shape, again.stride()) == (given.shape, given.stride())
        assert again.storage_offset() == given.storage_offset()
        assert again.untyped_storage().data_ptr() != given.untyped_storage().data_ptr()
    assert torch.equal(from_raw(to_raw(given)), given)
    assert torch.equal(copy_of(given), given)


def test_gaps_hold_nothing_that_a_program_may_count_on() -> None:
    given = torch.arange(24.0).reshape(4, 6)[:, 1:4]
    again = from_raw(to_raw(given))
    whole = torch.empty(0).set_(again.untyped_storage())
    assert torch.equal(again, given)
    assert int(torch.isnan(whole).sum()) == whole.numel() - given.numel()


@pytest.mark.parametrize(
    ("shape", "strides", "reaches", "shares"),
    [
        ((4, 6), (6, 1), 24, False),
        ((4, 6), (0, 1), 6, True),
        ((4, 6), (1, 0), 4, True),
        ((9, 4), (1, 1), 12, True),
        ((7, 4), (2, 1), 16, True),
        ((7, 2), (2, 1), 14, False),
        ((1, 6), (0, 1), 6, False),
        ((0, 6), (6, 1), 0, False),
        ((3, 4), (1, 3), 12, False),
        ((), (), 1, False),
    ],
)
def test_how_far_a_tensor_reaches(shape: tuple[int, ...], strides: tuple[int, ...], reaches: int, shares: bool) -> None:
    assert span(shape, strides) == reaches
    assert shares_elements(shape, strides) is shares


def test_each_element_once() -> None:
    assert each_once(torch.ones(1, 6).expand(4, 6)).shape == (6,)
    assert each_once(torch.arange(12.0).unfold(0, 4, 1)).tolist() == list(range(12))
    assert each_once(torch.ones(4, 6).t()).shape == (6, 4)


@pytest.mark.parametrize("strides", [(0, 1), (1, 0), (1, 1)])
def test_outputs_whose_places_share_memory_are_refused(strides: tuple[int, int]) -> None:
    data = memoryview(np.ones(16, np.float32).tobytes())
    dense, thin = RawTensor("f32", (4, 4), (4, 1), data), RawTensor("f32", (4, 4), strides, data)
    assert "share memory" in compare_output(Expected("out", dense, dense), thin, Tolerance()).mismatch
    assert not compare_output(Expected("out", thin, thin), thin, Tolerance()).mismatch
    assert not compare_output(Expected("out", thin, thin), dense, Tolerance()).mismatch


def test_expanded_state_is_perturbed_where_it_lies(evaluator: LocalEvaluator) -> None:
    source = """import torch


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("b", torch.zeros(1, 6).expand(4, 6))
        self.w = torch.nn.Parameter(torch.randn(6, 4).t())

    def forward(self, x):
        return x * self.w + self.b


def get_inputs():
    return [torch.randn(4, 6)]


def get_init_inputs():
    return []
"""
    wanted = import_source(source, "expanded", shrink="never").reference
    program = """import torch
import triton
import triton.language as tl


@triton.jit
def k(x_ptr, w_ptr, b_ptr, y_ptr, N, w_row, w_column, b_row, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    i = tl.arange(0, BLOCK)
    m = i < N
    w = tl.load(w_ptr + row * w_row + i * w_column, mask=m)
    y = tl.load(x_ptr + row * N + i, mask=m) * w + {bias}
    tl.store(y_ptr + row * N + i, y, mask=m)


def forward(x, w, b):
    y = torch.empty_like(x)
    k[(4,)](x, w, b, y, 6, w.stride(0), w.stride(1), b.stride(0), BLOCK=8)
    return y
"""
    right = evaluator.evaluate_text(program.format(bias="tl.load(b_ptr + row * b_row + i, mask=m)"), wanted, RUNGS)
    assert right.ok, right
    wrong = evaluator.evaluate_text(program.format(bias="0.0"), wanted, RUNGS)
    assert wrong.status is Status.MISMATCH, wrong
