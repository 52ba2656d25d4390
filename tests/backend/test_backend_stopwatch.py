"""Measuring modules in a child process; here the interpreter is what is timed."""

import math
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest
import sample_modules
import torch

from kernelwright.backend.measure import bench
from kernelwright.backend.measure.bench import WHOLE, apart, difference
from kernelwright.backend.measure.children import Child
from kernelwright.backend.measure.pool import BENCH
from kernelwright.backend.measure.stopwatch import NoBenchError, Stopwatch, begin_drawing
from kernelwright.backend.reference.program import ReferenceProgram
from kernelwright.ir.values import KernelModule, Reference

PLAIN = sample_modules.row_softmax(64, 128)


@pytest.fixture(scope="module")
def watch() -> Iterator[Stopwatch]:
    with Stopwatch(PLAIN, 0, "cpu", seconds=20.0) as watch:
        yield watch


def begun_with(line: str) -> KernelModule:
    assert PLAIN.launcher is not None
    head, body = PLAIN.launcher.source.split("\n", 1)
    return replace(PLAIN, launcher=replace(PLAIN.launcher, source=f"{head}\n    {line}\n{body}"))


def test_calls_and_kernels_are_timed(watch: Stopwatch) -> None:
    found = watch.measure(PLAIN, (WHOLE, "row_softmax"))
    assert found.failure == "" and found.us["row_softmax"] > 0 and 0 < found.whole_us < math.inf


def test_what_is_wrong_is_no_time(watch: Stopwatch) -> None:
    source = PLAIN.kernels[0].source
    assert "tl.sum(" in source
    wrong = replace(PLAIN, kernels=(replace(PLAIN.kernels[0], source=source.replace("tl.sum(", "tl.max(")),))
    found = watch.measure(wrong)
    assert found.whole_us == math.inf and "output 0 is off" in found.failure and not found.lost
    assert "no such thing" in watch.measure(begun_with("raise ValueError('no such thing')")).failure
    assert watch.replaced == 0


def test_a_process_that_is_lost_is_replaced_and_the_next_is_measured(watch: Stopwatch) -> None:
    before = watch.replaced
    for line in ("torch.os._exit(3)", "x.fill_(1.0)"):  # the second changes what all are measured on
        found = watch.measure(begun_with(line))
        assert found.lost and found.failure
        assert watch.measure(PLAIN).whole_us < math.inf
    assert watch.replaced == before + 2


def test_inputs_are_drawn_before_there_is_a_module(monkeypatch: pytest.MonkeyPatch) -> None:
    drawn: list[Reference] = []
    build = ReferenceProgram.build

    def counted(program: ReferenceProgram, *given: Any) -> Any:
        drawn.append(program.reference)
        return build(program, *given)

    monkeypatch.setattr(ReferenceProgram, "build", counted)
    other = sample_modules.row_softmax(32, 64)
    bench.draw(PLAIN.reference, 0, "cpu")
    for module, count in ((PLAIN, 1), (PLAIN, 2), (other, 3)):  # what was drawn serves once
        bench.open_bench(module, 0, "cpu")
        assert len(drawn) == count and bench.measure(module, [WHOLE], math.inf, 0.1)
    bench.draw(PLAIN.reference, 0, "cpu")
    bench.close_bench()
    assert not bench._waiting


def test_a_child_that_draws_is_waited_for() -> None:
    with Child((BENCH,)) as child:
        for measures in (False, True):
            begin_drawing(child, PLAIN.reference, 0, "cpu")
            with Stopwatch(PLAIN, 0, "cpu", child=child, drawing=True) as one:
                assert not measures or one.measure(PLAIN).whole_us < math.inf
            assert child.do((math.sqrt, (9.0,)), 60.0).value == 3.0  # it is at nothing else
        begin_drawing(child, replace(PLAIN.reference, entry="NoSuchModel"), 0, "cpu")
        with Stopwatch(PLAIN, 0, "cpu", child=child, drawing=True) as one:
            assert one.measure(PLAIN).whole_us < math.inf


def test_a_hang_ends(watch: Stopwatch) -> None:
    watch.seconds = 1.0
    found = watch.measure(begun_with("while True: pass"))
    watch.seconds = 20.0
    assert found.lost and "too long" in found.failure


def test_a_plain_module_that_does_not_run() -> None:
    with (
        Stopwatch(begun_with("raise ValueError('never')"), 0, "cpu") as watch,
        pytest.raises(NoBenchError, match="never"),
    ):
        watch.measure(PLAIN)


def test_differences() -> None:
    want = torch.randn(1000, generator=torch.Generator().manual_seed(1))
    assert difference((want + 1e-4,), (want,)) == ""
    assert "2 outputs instead of 1" in difference((want, want), (want,))
    assert "float64" in difference((want.double(),), (want,))
    for wrong in (torch.zeros_like(want), want.roll(1), want.clone().index_fill_(0, torch.tensor([7]), 9.0)):
        assert difference((wrong,), (want,)) == "output 0 is off"
    small = 1e-5 * want  # nothing of it would be seen by an absolute bound
    assert difference((2 * small,), (small,)) and not difference((small,), (small,))
    odd = torch.tensor([math.nan, math.inf, 1.0])
    assert difference((odd,), (odd,)) == "" and difference((odd.nan_to_num(),), (odd,))
    nothing = torch.full((10,), 1e-8)
    assert difference((-nothing,), (nothing,)) == "output 0 is off"
    assert not difference((-nothing,), (nothing,), (apart(2 * nothing, nothing),))


@pytest.mark.gpu
@pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a CUDA device")
def test_on_a_gpu_a_fault_is_outlived() -> None:
    with Stopwatch(PLAIN, 0) as watch:
        assert 0 < watch.measure(PLAIN, (WHOLE, "row_softmax")).us["row_softmax"] < 1e4
        source = PLAIN.kernels[0].source.replace("tl.store(", "tl.store(1099511627776 + ")
        found = watch.measure(replace(PLAIN, kernels=(replace(PLAIN.kernels[0], source=source),)))
        assert found.lost and found.failure
        assert watch.measure(PLAIN).whole_us < 1e4
