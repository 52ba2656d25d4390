"""The profile rung run: a rehearsal without a GPU through all its processes, and the real thing on one."""

from collections.abc import Iterator
from dataclasses import replace

import pytest
import torch
from broken_kernels import DOUBLE, GOOD, Broken, spec, vector_host
from torch import Tensor

from kernelwright.agent.evaluator import Rung, Status
from kernelwright.agent.measures import coverage as told_coverage
from kernelwright.evaluation.checks.profile import report
from kernelwright.evaluation.device.profiler import CudaProfiler, ProfilerError
from kernelwright.evaluation.device.replay import Note, Replay
from kernelwright.evaluation.judge.climb import Climb
from kernelwright.evaluation.judge.comparison import Timing
from kernelwright.evaluation.judge.local import LocalEvaluator
from kernelwright.evaluation.judge.program import Program
from kernelwright.evaluation.protocol.answers import CandidateProfiled, CheckedSample, DeviceWork
from kernelwright.evaluation.protocol.decoding import Place
from kernelwright.ir.errors import UserError
from kernelwright.ir.values import Reference

HEAD = "import torch\nimport torch.nn as nn\nimport triton\nimport triton.language as tl\n\n\n"
MIXED_REFERENCE = Reference(
    """import torch


class Model(torch.nn.Module):
    def forward(self, x, w):
        return torch.mm(x * 2.0, w).t().contiguous()


def get_inputs():
    return [torch.rand(SIZE, SIZE), torch.rand(SIZE, SIZE)]


def get_init_inputs():
    return []
""",
    "Model",
    (spec("x", "f32[64, 64]"), spec("w", "f32[64, 64]")),
    (),
    (spec("out", "f32[64, 64]"),),
)
#: One generated kernel, a product of the library's, a copy, and a kernel that is described but never launched.
MIXED = f"""{HEAD}@triton.jit
def gemm(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out_ptr + i, tl.load(x_ptr + i, mask=i < n) * 2, mask=i < n)


class ModelNew(nn.Module):
    def forward(self, x, w):
        doubled = torch.empty_like(x)
        n = x.numel()
        gemm[(0,)](x, doubled, n, BLOCK=256)
        gemm[(triton.cdiv(n, 256),)](x, doubled, n, BLOCK=256)
        return torch.mm(doubled, w).t().contiguous()
"""


def mixed(size: int) -> Reference:
    """The reference of `MIXED` at a size."""
    shape = f"f32[{size}, {size}]"
    return Reference(
        MIXED_REFERENCE.source.replace("SIZE", str(size)),
        "Model",
        (spec("x", shape), spec("w", shape)),
        (),
        (spec("out", shape),),
    )


@pytest.fixture(scope="module")
def evaluator() -> Iterator[LocalEvaluator]:
    with LocalEvaluator(seeds=1, memory_gb=4, use_gpu=False) as evaluator:
        yield evaluator


def test_a_rehearsal_without_a_gpu_tells_kernels_operators_and_copies_apart(evaluator: LocalEvaluator) -> None:
    truth, answer = evaluator.profiled(Program(MIXED, mixed(64), externs=None), "cpu")
    profiled = answer.content
    assert isinstance(profiled, CandidateProfiled), answer
    told = report(profiled, mixed(64), None)
    assert {(row["name"], row["kind"], row["count"]) for row in told["kernels"]} == {
        ("gemm", "generated", 1.0),
        ("aten.mm.default", "library", 1.0),
        ("aten.clone.default", "copy", 1.0),
    }
    assert 0 < told["coverage"] < 1
    assert profiled.operators == {"f32": 2 * 64**3}
    assert told["notes"] == ["no bytes and FLOPs of kernels: kernels are interpreted"]
    assert told["kernels"][0].get("by") is None
    assert len(profiled.verified) == 1 and len(truth.passes) == 3


def test_the_whole_rung_on_a_rehearsal(evaluator: LocalEvaluator, monkeypatch: pytest.MonkeyPatch) -> None:
    program = Program.of_module(Broken("good", DOUBLE, GOOD, vector_host(), Status.OK).module)
    rehearsed = evaluator.profiled(program, "cpu")
    monkeypatch.setattr(evaluator, "profiled", lambda _program: rehearsed)
    verdict = evaluator._climb(program, (Rung.PROFILE,))
    assert verdict.ok, verdict
    assert told_coverage(verdict) == 1.0
    assert verdict.caliber["profile"]["kernels"][0]["name"] == "bad"

    answer = rehearsed[1]
    assert isinstance(answer.content, CandidateProfiled)
    wrong = replace(answer, content=replace(answer.content, rows=()))
    monkeypatch.setattr(evaluator, "profiled", lambda _program: (rehearsed[0], wrong))
    verdict = evaluator._climb(program, (Rung.PROFILE,))
    assert (verdict.status, "no profile" in verdict.detail) == (Status.UNSUPPORTED, True), verdict
    assert "profile" not in verdict.caliber
    samples = tuple(CheckedSample(draw, (Place(0),)) for draw in (1, 0))
    stale = replace(answer, content=replace(answer.content, verified=samples))
    monkeypatch.setattr(evaluator, "profiled", lambda _program: (rehearsed[0], stale))
    assert Climb(evaluator, program, (Rung.PROFILE,)).step(Rung.PROFILE).status is Status.MISMATCH  # type: ignore[union-attr]


def test_without_a_gpu_the_rung_is_refused(evaluator: LocalEvaluator) -> None:
    module = Broken("good", DOUBLE, GOOD, vector_host(), Status.OK).module
    with pytest.raises(UserError, match="rung profile needs a CUDA device"):
        evaluator.evaluate(module, (Rung.PROFILE,))
    assert Rung.PROFILE not in evaluator.rungs()


needs_gpu = pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a CUDA device")


@pytest.mark.gpu
@needs_gpu
def test_the_profile_rung_on_a_gpu() -> None:
    timing = Timing(baselines=("eager",), processes=(1, 1))
    with LocalEvaluator(seeds=1, dialect=False, vocabulary=False, externs=True, timing=timing) as evaluator:
        verdict = evaluator.evaluate_text(MIXED, mixed(2048), (Rung.RUN, Rung.TIME, Rung.PROFILE))
    assert verdict.ok, verdict
    found = verdict.caliber["profile"]
    rows = {kind: [row for row in found["kernels"] if row["kind"] == kind] for kind in map(str, DeviceWork)}
    assert [row["name"] for row in rows["generated"]] == ["gemm"]
    assert rows["generated"][0]["count"] == 1.0  # not the empty grid
    assert len(rows["library"]) >= 1 and all(row["name"] != "gemm" for row in rows["library"])
    assert len(rows["copy"]) == 1  # .contiguous() of a transpose: a kernel of the library's, but a copy
    assert 0 < found["coverage"] < 1
    own = rows["generated"][0]
    assert own["us"] / found["us"] == pytest.approx(found["coverage"])
    assert own["bytes"] == pytest.approx(2 * 4 * 2048**2, rel=0.01)
    assert own["bound"] == "memory" and 0.1 < own["of_bandwidth"] < 2.0  # what is written may stay in L2
    assert found["program"]["flops"] == pytest.approx(2 * 2048**3, rel=0.01)
    # Both clocks saw the same work: kernels alone here, with the gaps between them there.
    timed_us = 1e3 * verdict.times_ms["candidate"]
    assert timed_us / 3 < found["us"] < 1.5 * timed_us


@pytest.mark.gpu
@needs_gpu
def test_a_librarys_kernel_is_told_from_a_generated_one_of_its_name_on_a_gpu() -> None:
    profile = CudaProfiler()
    x = torch.zeros(1 << 20, device="cuda")
    into: Tensor = torch.empty_like(x)
    steps = (lambda: x.add_(1), lambda: x.add_(1), lambda: into.copy_(x))
    (name,) = (one.name for one in profile._events(steps[0]))
    # The same kernel of torch's in the place of a generated one, and as an operator; then a copy without a kernel.
    notes = (Note(DeviceWork.GENERATED, name), Note(DeviceWork.LIBRARY, "aten.add_"), Note(DeviceWork.COPY, "copy"))
    seen = profile.window(Replay(steps, (), notes))
    assert [one.kind for one in seen] == [DeviceWork.GENERATED, DeviceWork.LIBRARY, DeviceWork.COPY]
    assert [one.name for one in seen[:2]] == [name, name] and seen[2].name != name
    assert all(one.us > 0 for one in seen)
    with pytest.raises(ProfilerError, match="in the place of another"):
        profile.window(Replay(steps[:2], (), (notes[0], Note(DeviceWork.GENERATED, "another"))))


@pytest.mark.gpu
@needs_gpu
def test_a_module_of_one_kernel_is_covered_by_it_on_a_gpu() -> None:
    module = Broken("good", DOUBLE, GOOD, vector_host(), Status.OK).module
    with LocalEvaluator(seeds=1) as evaluator:
        verdict = evaluator.evaluate(module, (Rung.RUN, Rung.PROFILE))
    assert verdict.ok, verdict
    assert told_coverage(verdict) == 1.0
    assert [row["name"] for row in verdict.caliber["profile"]["kernels"]] == ["bad"]
    assert verdict.caliber["profile"]["notes"] == []
