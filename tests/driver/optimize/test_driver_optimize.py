"""`optimize` on the bed: kernels are searched, verified and exchanged in a running model, whose times are planned."""

import json
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from kernelwright.driver.cli import main
from kernelwright.driver.optimize.admission import summary
from kernelwright.driver.optimize.outcomes import NOTHING
from kernelwright.driver.optimize.result import Kernel
from kernelwright.driver.optimize.trying import of_both

sys.path.insert(0, str(Path(__file__).parents[2] / "swap"))
import bed

HERE = Path(__file__).parent


def work(name: str) -> str:
    """What a process on the bed does: a function of planned.py."""
    return f"import sys\nsys.path.insert(0, {str(HERE)!r})\nfrom planned import {name} as work\n"


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    folder = tmp_path_factory.mktemp("optimized")
    made: dict[str, Any] = bed.run(work("optimized"), folder, str(folder))
    return made | {"folder": str(folder)}


@pytest.mark.slow
def test_what_wins_in_the_model_is_admitted_and_runs_from_then_on(found: dict[str, Any]) -> None:
    kernels = {
        "softmax" if "softmax" in one["name"] else "norm": one
        for one in found["first"]["kernels"]
        if one["name"].startswith("triton")
    }
    softmax, norm = kernels["softmax"], kernels["norm"]
    assert (softmax["became"], norm["became"]) == ("admitted", "slower"), found["first"]
    assert softmax["graph"]["ratio"] == pytest.approx(100 / 90, rel=1e-3) and norm["graph"]["ratio"] == 1.0
    assert found["first"]["stored"] == 1 and found["first"]["whole"]["ratio"] == pytest.approx(1000 / 990, rel=1e-3)
    runs = {"softmax" in name: (runs, why) for name, runs, why in found["swaps"]}
    assert runs[True] == ("kernelwright", "verified; 1.111x [1.111, 1.111] in the model")
    assert runs[False][0] == "inductor" and found["apart"] < 1e-6
    assert found["left"] == [True, True, True]
    certificate = found["certificate"]
    assert certificate["graph"]["low"] == pytest.approx(100 / 90, rel=1e-3)
    assert certificate["graph"]["caliber"]["mode"] == "eval" and certificate["graph"]["caliber"]["device"] == "cpu"
    assert set(certificate["errors of Inductor's kernel"]) == set(certificate["errors"]) != set()
    assert certificate["other sizes"] == []
    mutants = certificate["mutants"]
    assert 1 <= mutants["killed"] == mutants["judged"] - len(mutants["passed"]) <= 4


@pytest.mark.slow
def test_a_kernel_that_is_not_admitted_is_shown_by_a_folder_with_a_command(
    found: dict[str, Any], tmp_path: Path
) -> None:
    (place,) = [one for one in Path(found["folder"], "repro").iterdir() if "norm" in one.name]
    told = json.loads((place / "verdict.json").read_text())
    assert told["became"] == "slower" and told["certificate"]["graph"]["ratio"] == 1.0
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(
        ["sh", "run.sh"], cwd=place, env=bed.variables(tmp_path, PATH=path), capture_output=True, text=True
    )
    assert json.loads(done.stdout)["status"] == "ok", done.stderr[-2000:]


@pytest.mark.slow
def test_a_second_run_goes_on_behind_the_first(found: dict[str, Any]) -> None:
    kept = ("key", "name", "became", "graph", "digest")
    first, again = ([{key: one[key] for key in kept} for one in found[run]["kernels"]] for run in ("first", "again"))
    assert sorted(first, key=str) == sorted(again, key=str)
    assert "1 admitted" in found["again"]["text"] and found["again"]["whole"] == found["first"]["whole"]


@pytest.mark.slow
def test_a_winner_with_which_the_model_takes_longer_is_dropped(found: dict[str, Any]) -> None:
    worse = found["worse"]
    assert (
        worse["counts"] == {"dropped": 1, "slower": 1, "unimproved": 1}
        and worse["stored"] == 0
        and worse["whole"] is None
    )
    assert "as Inductor compiled it" in worse["text"]


@pytest.mark.slow
def test_a_kernel_that_changes_the_models_outputs_leaves_the_store(found: dict[str, Any]) -> None:
    assert found["spoilt"]["stored"] == 0, found["spoilt"]
    assert found["spoilt"]["counts"] == {"refused": 1, "slower": 1, "unimproved": 1}, found["spoilt"]


def test_of_two_searches_what_was_timed_counts_and_all_that_was_tried_is_kept() -> None:
    slower, refused, admitted = (Kernel("key", "name", one, why=one) for one in ("slower", "refused", "admitted"))  # type: ignore[arg-type]
    slower, admitted = (replace(one, graph=summary([(2.0, 1.0)] * 12, 0.95)) for one in (slower, admitted))
    entry, other = {"entry": {"of": "the first"}}, {"entry": {"of": "the second"}, "others": [{"why": "a rival"}]}
    assert of_both(slower, {**entry, "search": 1}, admitted, NOTHING) == (
        admitted,
        {"others": [{"why": "slower", **entry}]},
    )
    assert of_both(refused, {"module": "a text"}, slower, other) == (
        slower,
        {"entry": {"of": "the second"}, "others": [{"why": "a rival"}, {"why": "refused", "module": "a text"}]},
    )
    assert of_both(slower, entry, refused, NOTHING) == (slower, entry)


@pytest.mark.slow
def test_of_several_verified_kernels_the_fastest_in_the_model_runs_and_the_others_are_kept(tmp_path: Path) -> None:
    found = bed.run(work("rivals"), tmp_path, str(tmp_path))
    (product, softmax, norm) = sorted(
        found["kernels"], key=lambda one: ("triton" in one["name"], "norm" in one["name"])
    )
    assert product["became"] == "unimproved"
    assert softmax["became"] == "admitted" and softmax["graph"]["ratio"] == pytest.approx(100 / 80, rel=1e-3), found
    assert found["wide"] == [False] * 3 + [True] * 3 and found["stored"] == 1
    assert found["warps"] == 4 and found["apart"] < 1e-6
    others = dict(found["others"][softmax["name"]])
    assert others.keys() == {1, 2, 8} and norm["became"] == "slower"
    assert {warps for warps, _ in found["others"][norm["name"]]} == {1, 4, 8}
    again = {one["name"]: one["became"] for one in found["refused at first"]}
    assert again[softmax["name"]] == "admitted" and again[norm["name"]] == "slower", again
    assert others[1].startswith("0.909x") and others[2].startswith("1.053x") and "outputs change" in others[8]


@pytest.mark.slow
def test_a_killed_run_loses_the_kernel_that_it_was_at_and_an_interrupted_one_keeps_what_it_has(tmp_path: Path) -> None:
    with pytest.raises(AssertionError):
        bed.run(work("killed"), tmp_path, str(tmp_path))
    found = bed.run(work("resumed"), tmp_path, str(tmp_path))
    interrupted, last = found["interrupted"], found["last"]
    assert interrupted["stopped"] == "interrupted" and interrupted["stored"] == 1
    assert interrupted["counts"] == {"admitted": 1, "not reached": 2}
    assert last["stopped"] == "" and last["counts"] == {"admitted": 1, "slower": 1, "unimproved": 1}
    assert "1 admitted" in interrupted["text"] and "was not timed with them" in interrupted["text"]
    # The second kernel and the product, twice, and what second searches of the first one would be, which are none here.
    assert found["searched"] == 7


@pytest.mark.slow
def test_a_compile_with_a_search_runs_what_it_admits_from_its_first_call_on(tmp_path: Path) -> None:
    found = bed.run(work("in_a_compile"), tmp_path, str(tmp_path))
    assert max(found["apart"]) < 1e-6
    assert {("softmax" in name, ours) for name, ours in found["ours"].items()} == {(True, True), (False, False)}


@pytest.mark.slow
def test_a_hot_model_is_served_while_a_process_searches_and_runs_what_that_admits_between_two_calls(
    tmp_path: Path,
) -> None:
    found = bed.run(work("hot"), tmp_path, str(tmp_path))
    before, after = found["calls"]
    assert before > 1 and after >= 500 and before + after >= 1000, found
    assert found["wrong"] == 0 and found["launched"] == [True]


@pytest.mark.slow
def test_kernels_are_exchanged_while_a_model_is_called(tmp_path: Path) -> None:
    found = bed.run(work("under_load"), tmp_path)
    assert found["wrong"] == 0 and found["exchanged"] > 2


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ([], "optimize takes one path"),
        (["nowhere.py"], "nowhere.py: no such file"),
        ([__file__, "mode=both"], "mode='both': choose from eval, train, autocast"),
        ([__file__, "budget=soon"], "budget: give a number of seconds"),
        (
            [__file__, "target=h100"],
            "optimize takes budget=…, mode=…, dynamic=…, seed=…, store=…, repro=…, out=…, got target=h100",
        ),
    ],
)
def test_bad_words_are_told_at_once(words: list[str], told: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["optimize", *words]) == 2
    assert told in capsys.readouterr().err


def test_an_output_of_roundings_alone_may_change_with_roundings_and_not_with_a_wrong_kernel(tmp_path: Path) -> None:
    found = bed.run(work("noisy"), tmp_path)
    assert found["rounds otherwise"] == ""
    assert "outputs change" in found["is wrong"]
