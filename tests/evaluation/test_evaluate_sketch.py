"""Tensors too large to travel: sketches tell right from wrong, and evaluations by sketches are those by elements."""

from collections.abc import Iterator

import numpy as np
import pytest
import torch

from kernelwright.agent.evaluator import Rung, Status
from kernelwright.evaluation.checks.correctness import compare_output
from kernelwright.evaluation.checks.expected import Expected
from kernelwright.evaluation.judge import truth
from kernelwright.evaluation.judge.local import LocalEvaluator
from kernelwright.evaluation.protocol.sketch import Sketching, sketch
from kernelwright.evaluation.protocol.wire import SKETCHED
from kernelwright.ir.values import Reference, ScalarSpec, TensorSpec, Tolerance

RUNGS = (Rung.PARSE, Rung.INTERPRET)
SOURCE = """import torch
{imports}

class Model(torch.nn.Module):
    def forward(self, x):
        return {compute}


def get_inputs():
    return [{draw}]


def get_init_inputs():
    return []
"""
X = TensorSpec.contiguous("x", "f32", (7, 300))
CANDIDATE = """import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def scale(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + i, mask=i < n)
    tl.store(out_ptr + i, {value}, mask=i < n)


class ModelNew(nn.Module):
    def forward(self, x):
        out = torch.empty_like(x)
        scale[(triton.cdiv(x.numel(), 128),)](x, out, x.numel(), BLOCK=128)
        return out
"""


def reference(compute: str = "x * 3.0", draw: str = "torch.randn(7, 300)", imports: str = "") -> Reference:
    return Reference(SOURCE.format(compute=compute, draw=draw, imports=imports), "Model", (X,), (), (X,))


@pytest.fixture(scope="module")
def evaluator() -> Iterator[LocalEvaluator]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(truth, "LARGE_BYTES", 1 << 10)
        patch.setattr(truth, "SKETCHED_ABOVE", 1 << 10)
        with LocalEvaluator(use_gpu=False) as made:
            yield made


def test_the_error_of_sketches_is_that_of_the_tensors() -> None:
    generator = torch.Generator().manual_seed(3)
    exact = 5.0 + torch.randn(3 << 20, generator=generator, dtype=torch.float64)
    error = 1e-4 * torch.randn(exact.shape, generator=generator, dtype=torch.float64)
    found = [(sketch(exact + e, 1) - sketch(exact, 1)).square().mean().sqrt() for e in (error, error.abs())]
    assert [float(one) / SKETCHED**0.5 for one in found] == pytest.approx([1e-4, 1e-4], rel=0.05)
    assert float(sketch(exact, 1).square().mean().sqrt()) / SKETCHED**0.5 == pytest.approx(26**0.5, rel=0.05)


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16, torch.int64, torch.bool, torch.uint8])
def test_one_wrong_element_is_seen_wherever_it_is(dtype: torch.dtype) -> None:
    sketching = Sketching(seed=7, above=0)
    right = torch.arange(5 * SKETCHED + 3).reshape(-1, 1).remainder(2).to(dtype)
    want = Expected(
        "out", sketching.taken(right), sketching.taken(right.double() if dtype.is_floating_point else right)
    )
    assert compare_output(want, sketching.taken(right.clone()), Tolerance()).mismatch == ""
    for place in (0, 2 * SKETCHED + 17, right.numel() - 1):
        wrong = right.clone()
        wrong[place] = 1 - wrong[place].to(torch.int64)
        found = compare_output(want, sketching.taken(wrong), Tolerance()).mismatch
        assert f"from [{place // SKETCHED * SKETCHED}, 0] on" in found


@pytest.mark.parametrize("count", [1000, 7000])
def test_whether_an_output_is_sketched_does_not_hang_on_how_wide_its_type_is(count: int) -> None:
    sketching = Sketching(seed=7, above=6000)  # elements: between the bytes of the smaller output and of its gold
    right = torch.randn(count)
    want = Expected("out", sketching.taken(right), sketching.taken(right.double()))
    assert {want.eager.sketched, want.gold.sketched} == {count > 6000}
    assert compare_output(want, sketching.taken(right.clone()), Tolerance()).mismatch == ""
    assert "expected" in compare_output(want, sketching.taken(2 * right), Tolerance()).mismatch


def test_nan_is_never_right_and_shapes_count() -> None:
    sketching = Sketching(seed=7, above=0)
    right = torch.randn(4, SKETCHED)
    want = Expected("out", sketching.taken(right), sketching.taken(right.double()))
    for value in (float("nan"), float("inf")):
        wrong = right.clone()
        wrong[2, 5] = value
        assert "NaN or infinity" in compare_output(want, sketching.taken(wrong), Tolerance()).mismatch
    assert "shape" in compare_output(want, sketching.taken(right.T), Tolerance()).mismatch


def test_signs_are_those_of_the_seed() -> None:
    values = torch.randn(3000)
    assert torch.equal(sketch(values, 1), sketch(values.clone(), 1))
    assert not np.allclose(sketch(values, 1), sketch(values, 2))


def test_candidates_are_judged_by_sketches(evaluator: LocalEvaluator) -> None:
    verdict = evaluator.evaluate_text(CANDIDATE.format(value="x * 3.0"), reference(), RUNGS)
    assert verdict.status is Status.OK, verdict.detail
    assert verdict.caliber["passes"] == 4
    assert any("signed sums" in note for note in verdict.caliber["notes"])
    assert verdict.errors["rms"] < 1e-6
    for value in ("x * 3.001", "tl.where(i == 2098, 0.0, x * 3.0)"):
        verdict = evaluator.evaluate_text(CANDIDATE.format(value=value), reference(), RUNGS)
        assert verdict.status is Status.MISMATCH, verdict.detail
        assert "signed sum of the 256 elements" in verdict.detail


def test_a_program_without_tensors_among_its_inputs_is_judged_by_sketches(evaluator: LocalEvaluator) -> None:
    source = SOURCE.format(imports="", compute="torch.full((7, 300), x)", draw="2.0")
    constant = Reference(source, "Model", (ScalarSpec("x", 2.0),), (), (X,))
    text = (
        CANDIDATE.format(value="n * 2.0 / n")
        .replace("x_ptr, ", "")
        .replace("    x = tl.load(x_ptr + i, mask=i < n)\n", "")
    )
    text = text.replace("torch.empty_like(x)", "torch.empty(7, 300, device='cuda')").replace("x.numel()", "2100")
    text = text.replace("(x, out", "(out")
    verdict = evaluator.evaluate_text(text, constant, RUNGS)
    assert verdict.status is Status.OK, verdict.detail
    assert any("signed sums" in note for note in verdict.caliber["notes"])


def test_inputs_that_come_out_otherwise_a_second_time_travel(evaluator: LocalEvaluator) -> None:
    unseeded = reference(draw="torch.from_numpy(np.random.randn(7, 300)).float()", imports="import numpy as np")
    verdict = evaluator.evaluate_text(CANDIDATE.format(value="x * 3.0"), unseeded, RUNGS)
    assert verdict.status is Status.OK, verdict.detail
    assert verdict.caliber["passes"] == 1
    assert not any("signed sums" in note for note in verdict.caliber["notes"])


def test_outputs_with_infinity_travel(evaluator: LocalEvaluator) -> None:
    infinite = reference("torch.where(x > 1, float('inf'), x)")
    good, bad = (CANDIDATE.format(value=f"tl.where(x > {edge}, float('inf'), x)") for edge in (1, 1.1))
    assert evaluator.evaluate_text(good, infinite, RUNGS).status is Status.OK
    verdict = evaluator.evaluate_text(bad, infinite, RUNGS)
    assert verdict.status is Status.MISMATCH
    assert "NaN or infinity" in verdict.detail


def test_large_programs_get_as_many_draws_as_their_bytes_leave_room_for() -> None:
    few = []
    with LocalEvaluator(use_gpu=False) as evaluator, pytest.MonkeyPatch.context() as patch:
        patch.setattr(truth, "DRAWN_BYTES", 500_000)  # an input and output are 16,800 bytes, other outputs beside them
        for value in ("x * 3.0", "x * 3.001"):
            few.append(evaluator.evaluate_text(CANDIDATE.format(value=value), reference(), RUNGS))
    assert [verdict.status for verdict in few] == [Status.OK, Status.MISMATCH]
    (note,) = [note for note in few[0].caliber["notes"] if "draws, of" in note]
    made, wanted = int(note.split()[0]), int(note.split()[2])
    assert 1 < made < wanted / 2, note
