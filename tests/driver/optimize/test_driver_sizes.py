"""Sizes that change from call to call: ours runs between the sizes at which it is verified, Inductor's elsewhere."""

import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import islice
from pathlib import Path

import pytest
import torch
from torch import Tensor, nn

from kernelwright.agent.evaluator import Rung, Status, Verdict
from kernelwright.backend.store.entry import Entry, Versions
from kernelwright.backend.store.store import Store
from kernelwright.driver.extraction import ranges
from kernelwright.driver.extraction.filling import begun, entry_of
from kernelwright.driver.extraction.ranges import elsewhere, widened, without
from kernelwright.driver.optimize.answering import Answer, Question, Questions
from kernelwright.driver.optimize.certifying import Admitted, Certifying
from kernelwright.driver.optimize.outcomes import Outcomes, journal_of
from kernelwright.driver.optimize.result import Kernel
from kernelwright.frontend.swap.graphs import GraphRecorder, RecordedGraph
from kernelwright.frontend.swap.recorded import Recorded
from kernelwright.frontend.swap.replacement import replacement
from kernelwright.frontend.swap.running import holds, side_by_side
from kernelwright.frontend.swap.sizes import which_fits
from kernelwright.ir.printer import print_module

sys.path.insert(0, str(Path(__file__).parents[2] / "swap"))
import bed

HERE = Path(__file__).parent


@pytest.mark.slow
def test_ours_runs_inside_the_certificates_sizes_and_inductors_outside(tmp_path: Path) -> None:
    text = f"import sys\nsys.path.insert(0, {str(HERE)!r})\nfrom sizes import changing as work\n"
    for found in bed.run(text, tmp_path, str(tmp_path / "stores")):
        assert found["counts"] == {"admitted": 1}, found
        assert found["apart"] < 1e-5, found
        assert found["inside"] == [[1, 0]] * 3 and found["outside"] == [[0, 1]] * len(found["outside"]) != [], found
        assert found["certificates"] == [["right"] * 6], found


@pytest.mark.slow
def test_a_kernel_that_was_optimised_at_several_sizes_runs_ours_around_each(tmp_path: Path) -> None:
    text = f"import sys\nsys.path.insert(0, {str(HERE)!r})\nfrom sizes import two_ranges as work\n"
    found = bed.run(text, tmp_path, str(tmp_path / "store"))
    # The third size is within the range of the first, whose kernel is known there.
    assert found["counts"] == [{"admitted": 1}] * 3 and found["entries"] == 2, found
    assert found["apart"] < 1e-5, found
    last, first, own = [[1, 0, 0]], [[0, 1, 0]], [[0, 0, 1]]
    assert found["launched"][1:] == [first, first, last, last, own, own], found


@pytest.mark.slow
def test_where_nothing_is_found_for_changing_sizes_a_second_search_is_for_a_kernels_own(tmp_path: Path) -> None:
    text = f"import sys\nsys.path.insert(0, {str(HERE)!r})\nfrom sizes import alone as work\n"
    found = bed.run(text, tmp_path, str(tmp_path / "store"))
    assert found["counts"] == {"admitted": 1} and found["searches"] == [[True, False], [False, True]], found
    assert found["for these sizes alone"] is True and found["other sizes"] == [], "no other size is tried"
    assert found["launched"] == [[1, 0], [0, 1], [0, 1]] and found["apart"] < 1e-5, found


@pytest.mark.parametrize(
    ("known", "fit", "not_fit"),
    [
        # Each is between its least and its most.
        ([("x", (5, 3, 9, 7)), ("y", (4, 7, 2, 2))], [(3, 7), (9, 4)], [(2, 4), (10, 4), (5, 8)]),
        # One size alone.
        ([("x", (5,)), ("y", (5,))], [(5, 5)], [(5, 4), (4, 5)]),
        # Multiples of 32; equal sizes; a constant ratio.
        ([("x", (32, 96, 160))], [(64,), (128,)], [(65,), (192,)]),
        ([("x", (5, 9, 2)), ("y", (5, 9, 2))], [(4, 4), (9, 9)], [(4, 5), (9, 2)]),
        ([("x", (5, 9, 2)), ("y", (40, 72, 16))], [(4, 32)], [(4, 40), (4, 33)]),
        # A product of two others.
        ([("n", (35, 6, 99)), ("a", (5, 2, 9)), ("b", (7, 3, 11))], [(20, 4, 5)], [(20, 5, 5), (36, 5, 7)]),
    ],
)
def test_what_holds_at_all_known_sizes_must_hold(
    known: Sequence[tuple[str, Sequence[int]]], fit: Sequence[tuple[int, ...]], not_fit: Sequence[tuple[int, ...]]
) -> None:
    which = which_fits([known], ["in_ptr", *(name for name, _ in known)])
    assert [which(["a tensor", *one]) for one in fit] == [0] * len(fit)
    assert [which(["a tensor", *one]) for one in not_fit] == [1] * len(not_fit)


def test_the_first_range_that_fits_counts() -> None:
    which = which_fits([[("x", (8, 15))], [("x", (4, 13))], [("x", (64,))]], ["x"])
    assert [which([size]) for size in (4, 8, 12, 15, 16, 64, 65)] == [1, 0, 0, 0, 3, 2, 3]


class Turned(nn.Module):
    """Elements that lie in another order."""

    def forward(self, x: Tensor) -> Tensor:
        return x.transpose(0, 1).contiguous() + 1


def _entry(*sizes: int, text: str = "a text") -> Entry:
    """An entry for a kernel with one size that may change."""
    return Entry(
        "0" * 64,
        "interpreter",
        Versions.installed(),
        "replacement",
        module="a module",
        replacement=text,
        form="kernel",
        sizes=(("x", sizes),) if sizes else (),
    )


def test_entries_run_side_by_side_where_none_before_is_for_an_entrys_own_sizes() -> None:
    last, small, hidden, fixed = _entry(64, 33, 128), _entry(8, 5, 40), _entry(100, 9), _entry()
    assert side_by_side([last, hidden, small, fixed]) == (last, small)
    assert side_by_side([fixed, last]) == (fixed,) and side_by_side([]) == ()
    assert len(side_by_side([_entry(size) for size in range(1, 40)])) == 8
    assert holds(last, {"x": 35}) and not holds(last, {"x": 129}) and not holds(last, {}) and holds(fixed, {})
    assert small.own_sizes == {"x": 8} and fixed.own_sizes == {}


def _turned() -> tuple[Recorded, RecordedGraph]:
    """A kernel of which two sizes may change, as it was recorded at 30 and 70."""
    recorder = GraphRecorder()
    with torch.no_grad():
        torch.compile(Turned(), backend=recorder, dynamic=True)(torch.randn(30, 70))
    torch.compiler.reset()
    (graph,) = recorder.graphs
    (kernel,) = graph.kernels
    return kernel, graph


def test_a_kernel_that_takes_other_arguments_than_inductors_is_none_elsewhere(monkeypatch: pytest.MonkeyPatch) -> None:
    kernel, graph = _turned()
    module = begun(kernel, graph, "h100")
    entry = replace(_entry(), module=print_module(module), replacement=replacement(kernel, module).text)
    known = list(elsewhere(entry, module, kernel, graph, "h100"))
    assert len(known) == 6 and all(one.ours is not None for one in known)
    (own,) = module.kernels
    for source in (own.source.replace("ks0, ", "", 1), own.source.replace(f"def {own.symbol}", "def another")):
        assert source != own.source
        other = replace(module, kernels=(replace(own, source=source),))
        assert [one.ours for one in elsewhere(entry, other, kernel, graph, "h100")] == [None] * 6
    monkeypatch.setattr(ranges, "begun", lambda *_: replace(module, kernels=(), launcher=None))
    assert [one.ours for one in elsewhere(entry, module, kernel, graph, "h100")] == [None] * 6


#: A verdict with a time.
TIMED = Verdict(Status.OK, Rung.TIME, times_ms={"candidate": 1.0})


class Some:
    """Answers so many questions, each by yes, and keeps which they were."""

    def __init__(self, count: int) -> None:
        self.count, self.asked = count, list[str]()

    def each(self, questions: Questions, late: Callable[[], bool]) -> Iterator[tuple[Question, Answer]]:
        assert not late()
        for question in islice(questions, self.count):
            self.asked.append(question.key)
            yield question, Answer(question.module, TIMED, own=TIMED if question.own else None)


def test_a_certificate_that_time_was_too_short_for_is_completed_later() -> None:
    kernel, graph = _turned()
    module = begun(kernel, graph, "h100")
    entry = entry_of(kernel, graph, "sm_90", module, Verdict(Status.OK, Rung.RUN), "a pipeline")
    asked, tried = list[str](), list[int]()
    for count in (0, 1, 3, 20, 20):
        some = Some(count)
        certify = Certifying(some, "h100", bool)
        entry = next((made for _, made in certify.completed([Admitted("key", entry, (kernel, graph))])), entry)
        asked.append(f"{len(some.asked)} of {', '.join(some.asked[:2])}")
        tried.append(len(entry.certificate.get("other sizes", ())))
    assert asked == ["0 of ", "1 of key own", "3 of key 0, key 1", "3 of key 0, key 1", "0 of "]
    assert tried == [0, 0, 3, 6, 6]
    assert entry.sizes and {len(some) for _, some in entry.sizes} == {7}


class Says:
    """Answers all questions with one verdict, or with none, for Inductor's kernel as for ours."""

    def __init__(self, verdict: Verdict | None) -> None:
        self.verdict = verdict

    def each(self, questions: Questions, late: Callable[[], bool]) -> Iterator[tuple[Question, Answer]]:
        assert not late()
        for question in questions:
            why = "" if self.verdict else "timeout"
            yield question, Answer(question.module, self.verdict, why, own=self.verdict)


def test_an_entry_stays_in_the_store_whatever_comes_of_other_sizes(tmp_path: Path) -> None:
    kernel, graph = _turned()
    key, ok = kernel.sized_key, Verdict(Status.OK, Rung.RUN)
    store = Store.open(tmp_path / "store")
    assert store.put(entry_of(kernel, graph, "sm_90", begun(kernel, graph, "h100"), ok, "a pipeline"))
    known = Kernel(key, kernel.name, "admitted")
    with journal_of([key], "eval", "h100", store, tmp_path) as journal:
        other = kernel.elsewhere()[2]
        recorded = {key: (kernel, graph), "other": (other, graph)}
        outcomes = Outcomes({key: known}, store, journal, "h100", lambda _kernel: None, recorded)
        wrong = Verdict(Status.MISMATCH, Rung.RUN, "it is wrong")
        # A size at which neither kernel has a time may be tried later.
        for verdict, tried in ((None, []), (ok, []), (TIMED, ["right"] * 6), (wrong, ["right"] * 6)):
            (*_, entry) = store.entries()
            admitted = [Admitted(key, entry, (kernel, graph))]
            for _, made in Certifying(Says(verdict), "h100", bool).completed(admitted):
                outcomes.certified(entry, made)
            (*_, entry) = store.entries()
            assert [one["became"] for one in entry.certificate["other sizes"]] == tried
        assert holds(entry, other.numbers)
        behind = next(store.entries())
        assert store.find(entry.key, "sm_90", entry.versions, behind.pick) == behind, "a lock may name it"
        # Where the whole model is not faster with it, its range does not come back.
        assert store.put(replace(entry, replacement="another text"))  # what is behind it does not come to the fore
        outcomes.given_up("other", "the whole model is not faster with it there")
        assert outcomes.entry("other") is None
        (*_, entry) = store.entries()
        assert not holds(entry, other.numbers)
        assert "the whole model" in entry.certificate["other sizes"][-1]["became"]
        right = [numbers for numbers in (one.numbers for one in kernel.elsewhere()) if numbers != other.numbers]
        assert not holds(widened(entry, right, [other.numbers]), other.numbers)


def test_an_entry_can_lose_sizes_but_not_its_own() -> None:
    entry = _entry(8, 5, 16, 32)
    assert without(entry, {"x": 30}) == _entry(8, 5, 16) and without(entry, {"x": 3}) == entry
    assert without(entry, {"x": 8}) is None and without(_entry(), {}) is None


def test_a_size_at_which_a_kernel_is_not_right_ends_its_range() -> None:
    entry = _entry(8)
    made = widened(entry, [{"x": 4}, {"x": 9}, {"x": 32}], [{"x": 16}, {"x": 64}])
    assert made.sizes == (("x", (8, 9, 4)),)
    # What is found later may lie within the range, which loses what is farther from its own size.
    assert widened(made, [{"x": 12}], [{"x": 6}]).sizes == (("x", (8, 9, 12)),)
    # Multiples of 8 would go around 20; then the range would lose the sizes that are near.
    assert widened(entry, [{"x": 24}, {"x": 7}, {"x": 9}], [{"x": 20}]).sizes == (("x", (8, 9, 7)),)
    assert Entry.parse(made.text) == made and made.pick != entry.pick
