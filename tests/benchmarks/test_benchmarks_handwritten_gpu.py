"""Searches from programs written by hand: what their rows say, and one of them without a GPU."""

import json
from pathlib import Path
from types import ModuleType

import pytest

from kernelwright.ir.printer import print_module

BENCHMARK = "rewrites.handwritten_gpu"
CHAIN = "activations/swiglu_two_launches"


def row(way: str, ratio: float, **more: object) -> dict[str, object]:
    over = {"before": [ratio, ratio, ratio], "inductor": [2.0, 1.9, 2.1], "eager": [4.0, 3.9, 4.1]}
    given = {"as_given": {"status": "ok"}, "status": "ok", "same": ratio == 1.0, "how": "measured"}
    return {"way": way, "spec": "given,fuse-epilogue", "over": over} | given | more


def test_the_summary_names_what_a_search_made_slower_and_ways_not_taken(benchmark: ModuleType) -> None:
    rows = {"a": row("chain", 2.0, way_taken=True), "b": row("chain", 0.5), "c": row("", 1.0)}
    rows["d"] = {"way": "", "status": "mismatch", "as_given": {"status": "ok"}}
    found = benchmark.summary(rows, 5)
    assert found["programs"] == 5 and found["answered"] == 4 and found["not_ok"] == {"d": "mismatch"}
    assert found["all"]["over_as_written"] == 1.0 and found["all"]["over_inductor"] == 2.0
    assert found["all"]["slower"] == {"b": 0.5} == found["all"]["worst"]
    assert found["by_way"]["none known"]["kept_as_written"] == 1
    assert found["ways_known"] == 2 and found["ways_taken"] == 1 and found["ways_not_taken"] == ["b"]


def test_a_way_is_taken_from_the_programs_own_kernels_alone(benchmark: ModuleType) -> None:
    (program,) = (one for one in benchmark.handwritten() if one.name == CHAIN)
    text = print_module(program.module())
    for spec, taken in (("given,fuse-epilogue", True), ("given", False), ("lower-inductor,fuse-epilogue", False)):
        assert benchmark.way_taken(program.way, {"status": "ok", "spec": spec, "module": text}) is taken
    assert not benchmark.way_taken(program.way, {"status": "mismatch", "spec": "given,fuse-epilogue", "module": text})


@pytest.mark.slow
def test_a_search_without_a_gpu_is_kept_and_estimated(benchmark: ModuleType, tmp_path: Path) -> None:
    out = tmp_path / "rows.json"
    small = "pipeline.passes=[{search:{width:2,most:3,trials:1}}]"
    given = ["--only", CHAIN, "--out", str(out), "--budget", "120", "--commit", "abc", small, "evaluator.seeds=1"]
    assert benchmark.main([*given, "--seconds", "-1"]) == 1  # nothing is begun
    assert json.loads(out.read_text())["summary"]["answered"] == 0
    assert benchmark.main(given) == 0
    content = json.loads(out.read_text())
    (found,) = content["rows"].values()
    assert found["status"] == "ok" and found["how"].startswith("estimated") and found["over"]["before"][0] >= 1
    assert (
        "module" not in found and content["caliber"]["commit"] == "abc" and content["made_with"]["tf32"] == ["nowhere"]
    )
    assert benchmark.main([*given, "--seconds", "-1"]) == 0  # the row is there
