"""Programs written by hand: what each claims, and what the rewrites make of some of them."""

from dataclasses import replace
from pathlib import Path
from types import ModuleType

import pytest

from kernelwright.evaluation.judge.local import LocalEvaluator
from kernelwright.ir.errors import UserError
from kernelwright.ir.passes import REGISTRY

#: A load from where another one loads, with another fill value.
TWICE = "tl.load(x_ptr + offsets, mask=mask, other=1.0)"
BENCHMARK = "rewrites.handwritten"


def test_every_program_parses_and_its_sizes_for_a_gpu_are_larger(benchmark: ModuleType) -> None:
    programs, large = list(benchmark.handwritten()), list(benchmark.handwritten(large=True))
    assert len(programs) == 75 and sum(bool(one.way) for one in programs) == 45
    for small, big in zip(programs, large, strict=True):
        assert small.module().kernels, small.name
        assert big.text == small.text and big.reference != small.reference


def test_answers_of_the_shipped_adapter_are_a_corpus_of_their_own(benchmark: ModuleType) -> None:
    answers = list(benchmark.answers())
    assert len({one.name for one in answers}) == 60 and all(one.module().kernels for one in answers)
    fired = (["specialize"], ["cache-hints", "specialize"], [])
    rows = [{"corpus": "honest", "fired": ["join-pairs"]}, *({"corpus": "answers", "fired": one} for one in fired)]
    told = {"answers": 3, "answers_any_fired": 2, "answers_fired_beside_specialize": 1}
    assert benchmark.fired(rows, "answers") == told


def test_every_rewrite_that_finds_a_way_exists(benchmark: ModuleType) -> None:
    names = set().union(*benchmark.FINDS.values())
    assert names <= set(REGISTRY) and names <= set(map(benchmark.bare, benchmark.specs()))


def test_a_header_without_a_reference_names_the_file(
    benchmark: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "programs" / "style").mkdir(parents=True)
    (tmp_path / "programs" / "style" / "lost.py").write_text("# reference: none\n")
    monkeypatch.setattr(benchmark, "FOLDER", tmp_path)
    with pytest.raises(UserError, match=r"lost\.py: its first line names 0 programs"):
        list(benchmark.handwritten())


def test_a_way_that_a_rewrite_finds_is_verified(benchmark: ModuleType) -> None:
    wanted = {"activations/swiglu_two_launches", "tutorials/vector_add"}
    chain, plain = sorted((one for one in benchmark.handwritten() if one.name in wanted), key=lambda one: one.name)
    with LocalEvaluator(seeds=1, seed=0, use_gpu=False) as evaluator:
        found, nothing = benchmark.row(chain, evaluator), benchmark.row(plain, evaluator)
    assert found["found"] and found["fired"] == ["fuse-epilogue", "fuse-prologue", "specialize"]
    fusions = [one for one in found["changes"] if one["passes"] != ["specialize"]]
    assert found["kernels"] == 2 and {one["kernels"] for one in fusions} == {1}
    assert nothing["as_written"] == "ok" and nothing["fired"] == ["specialize"] and "found" not in nothing
    assert nothing["declined"]["fuse-epilogue"] == ["no kernel reads what another one stores"]


def test_a_row_that_is_still_loaded_twice_is_no_way_found(benchmark: ModuleType) -> None:
    (program,) = (one for one in benchmark.handwritten() if one.name == "tutorials/vector_add")
    twice = replace(program, text=program.text.replace("tl.load(y_ptr + offsets, mask=mask)", TWICE))
    assert twice.text != program.text
    for one, again in ((program, False), (twice, True)):
        assert benchmark.reads_again(one.module()) is again
        change = {"passes": ["persistent-rows"], "status": "ok", "reads_again": again}
        assert benchmark.finds("extra-pass", change) is not again


def test_an_index_that_is_still_divided_by_an_unknown_number_is_no_way_found(benchmark: ModuleType) -> None:
    (program,) = (one for one in benchmark.handwritten() if one.name == "layouts/channels_last_flat")
    known = replace(program, text=program.text.replace("i % channels", "i % 24"))
    for one, divides in ((program, True), (known, False)):
        assert benchmark.divides(one.module()) is divides
        change = {"passes": ["strength-reduce"], "status": "ok", "divides": divides}
        assert benchmark.finds("index-math", change) is not divides


def test_a_program_that_the_dialect_refuses_is_told_with_its_hint(benchmark: ModuleType) -> None:
    program = next(benchmark.handwritten())
    broken = benchmark.Program("handwritten", "broken", "print('no')\n" + program.text, program.reference)
    found = benchmark.row(broken, None)
    assert not found["parsed"] and found["hint"].startswith("line ")


def test_rows_of_the_same_code_are_kept(benchmark: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = next(benchmark.handwritten())
    row = {"corpus": "handwritten", "way": "", "digest": program.digest, "parsed": True, "as_written": "ok"}
    monkeypatch.setattr(benchmark, "row", lambda *_: row)
    assert benchmark.measure([program], tmp_path / "rows.json", 1) == 0
    monkeypatch.setattr(benchmark, "row", lambda *_: pytest.fail("the row was there"))
    assert benchmark.measure([program], tmp_path / "rows.json", 1) == 0
