"""The table of whole models: rows are summed up as they are."""

import json
from argparse import Namespace
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
import torch

from benchmarks.models import optimize
from benchmarks.models.campaign import campaign, options
from benchmarks.models.cases import CASES
from benchmarks.models.matrix import cases, summary
from benchmarks.models.optimize import SIDES, row_of
from benchmarks.models.optimize import summary_of as optimized
from benchmarks.models.plan import PlannedRow, planned
from benchmarks.models.reasons import not_admitted, reasons
from benchmarks.models.sizes import other_sizes, resized, summary_of
from benchmarks.models.zoo import MODELS, WRITERS
from kernelwright.ir.errors import UserError


def test_decoding_is_for_models_that_write() -> None:
    found = cases(list(MODELS), ["eval", "decode"])
    assert len(found) == len(MODELS) + len(WRITERS) == len(set(found))


def test_a_row_without_a_replacement_is_not_right() -> None:
    plain: dict[str, Any] = {"kernels": 10, "with_reference": 6, "in_joint_problems": 2, "swapped": 3}
    rows: dict[str, dict[str, Any]] = {
        "a eval": {**plain, "right": True, "again_hits": 1, "again_misses": 0},
        "b eval": {**plain, "right": False, "again_hits": 1, "again_misses": 1},
        "c eval": {"right": False, "error": "…"},
    }
    told = summary(rows)
    assert (told["rows"], told["right"], told["hit_in_a_second_process"]) == (3, 1, 1)
    assert (told["kernels"], told["share_with_reference"], told["swapped"]) == (20, 0.8, 6)
    assert told["not_right"] == ["b eval", "c eval"]


def test_a_campaign_goes_on_behind_what_is_known_and_makes_open_rows_again(tmp_path: Path) -> None:
    made: list[str] = []

    def run(*words: str) -> dict[str, Any]:
        def row_of(name: str, left_s: float, before: Mapping[str, Any] | None) -> dict[str, Any]:
            assert before is None or (name == "b" and not before["ok"])
            made.append(name)
            return {"ok": name != "b" or made.count("b") > 1, "left": left_s > 0}

        arguments = options("Some models.", str(tmp_path / "out.json"), 60.0).parse_args(["--commit", "abc", *words])
        return campaign(
            arguments,
            ["a", "b", "c"],
            row_of,
            lambda row: not row["ok"],
            lambda rows: {"rows": len(rows), "open": [name for name, row in rows.items() if not row["ok"]]},
            lambda row: row["ok"],
        )

    assert run("--only", "a,b") == {"rows": 2, "open": ["b"]} and made == ["a", "b"]
    assert run("--seconds", "0") == {"rows": 2, "open": ["b"]} and made == ["a", "b"]
    assert run() == {"rows": 3, "open": []} and made == ["a", "b", "b", "c"]
    assert set(json.loads((tmp_path / "out.json").read_text())["rows"]) == {"a", "b", "c"}
    (tmp_path / "out.json.journal").unlink()
    assert run() == {"rows": 3, "open": []} and len(made) == 4  # the result alone is enough to go on from
    (tmp_path / "out.json.journal").unlink()
    with pytest.raises(UserError, match=r"out\.json: made with commit=abc, now it is def; name another file"):
        run("--commit", "def")


def test_what_failed_in_a_row_is_measured_again_and_what_was_measured_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    ran: list[str] = []
    failing = {"tuned"}

    def child(_row: PlannedRow, stage: str, _arguments: Namespace, _folder: Path) -> dict[str, Any]:
        ran.append(stage)
        return {"failure": "more than 200 s"} if stage in failing else {"whole": len(ran)}

    monkeypatch.setattr(optimize, "_child", child)
    row, arguments = PlannedRow("a", beside=("graphs", "tuned")), Namespace(tiny=False, budget=None)
    first = row_of(row, arguments)
    assert first["status"] == "tuned failed" and ran == ["optimize", "compare", "graphs", "tuned"]
    failing.add("optimize")
    without = row_of(row, arguments, first)
    assert without["status"] == "tuned failed" and ran[4:] == ["optimize"] and without["optimize"] == {"whole": 1}
    assert without["again"] == [{"stages": ["tuned"], "failure": "more than 200 s"}]
    assert without["tuned"] == first["tuned"]
    del ran[4:]
    later = row_of(row, arguments, {stage: found for stage, found in first.items() if stage != "tuned"})
    assert later["status"] == "tuned failed" and ran[4:] == ["optimize"], "a stage that the row did not have"
    failing.clear()
    del ran[4:]
    second = row_of(row, arguments, first)
    assert second["status"] == "ok" and ran[4:] == ["optimize", "tuned"]
    assert second["optimize"] == {"whole": 1} and second["tuned"] == {"whole": 6}
    assert second["again"] == [{"stages": ["tuned"], "whole": 5}]
    # Where no kernels were found, there is nothing that another search's could stand beside.
    third = row_of(row, arguments, first | {"optimize": {"failure": "killed"}})
    assert ran[6:] == ["optimize", "compare", "graphs", "tuned"] and "again" not in third


def test_rows_of_several_results_are_merged_if_they_were_made_alike(tmp_path: Path) -> None:
    def run(out: str, *words: str) -> dict[str, Any]:
        arguments = options("Some models.", str(tmp_path / out), 60.0).parse_args(words)
        return campaign(
            arguments,
            ["a", "b"],
            lambda name, *_given: {"name": name},
            lambda _row: False,
            lambda rows: dict(rows),
            str,
        )

    run("1.json", "--only", "b", "--commit", "abc")
    run("2.json", "--only", "a", "--commit", "abc")
    other = json.loads((tmp_path / "2.json").read_text())
    (tmp_path / "2.json").write_text(json.dumps(other | {"caliber": other["caliber"] | {"cpus": -1}}))
    both = ["--merge", str(tmp_path / "1.json"), str(tmp_path / "2.json")]
    assert list(run("both.json", *both)) == ["a", "b"]
    content = json.loads((tmp_path / "both.json").read_text())
    assert content["rows"] == content["summary"] and content["conditions"]["commit"] == "abc"
    assert [row.get("caliber") for row in content["rows"].values()] == [{"cpus": -1}, None]
    run("2.json", "--only", "b", "--commit", "abc")
    content = json.loads((tmp_path / "2.json").read_text())
    assert content["caliber"]["cpus"] == -1, "a result keeps its caliber"
    assert [row.get("caliber") for row in content["rows"].values()] == [None, {"cpus": other["caliber"]["cpus"]}]
    run("3.json", "--only", "a", "--commit", "def")
    with pytest.raises(UserError, match=r"3\.json: made otherwise than .*1\.json: commit=abc, now it is def"):
        run("both.json", *both, str(tmp_path / "3.json"))


def test_what_is_measured_again_on_another_machine_says_so(tmp_path: Path) -> None:
    def run(row: dict[str, Any]) -> dict[str, Any]:
        arguments = options("Some models.", str(tmp_path / "out.json"), 60.0).parse_args(["--only", "a"])
        campaign(arguments, ["a"], lambda *_given: row, lambda _row: True, lambda rows: dict(rows), str)
        return dict(json.loads((tmp_path / "out.json").read_text()))

    before = run({"times": 1})
    (tmp_path / "out.json.journal").unlink()
    (tmp_path / "out.json").write_text(json.dumps(before | {"caliber": before["caliber"] | {"cpus": -1}}))
    after = run({"times": 1, "again": [{"stages": ["tuned"]}]})
    cpus = before["caliber"]["cpus"]
    assert after["rows"]["a"]["again"] == [{"stages": ["tuned"], "caliber": {"cpus": cpus}}]
    assert after["caliber"]["cpus"] == -1 and "caliber" not in after["rows"]["a"]


def test_kernels_that_are_not_admitted_are_told_in_words_with_what_they_could_save() -> None:
    def kernel(became: str, why: str = "", gain_us: float = 20.0, **graph: float) -> dict[str, Any]:
        return {"became": became, "why": why, "us": 100.0, "gain_us": gain_us, "graph": graph or None}

    kernels = [
        kernel("admitted", ratio=1.25, low=1.2, high=1.3),
        kernel("slower", ratio=0.9, low=0.8, high=0.95, gain_us=30.0),
        kernel("slower", ratio=1.0, low=0.9, high=1.1, gain_us=10.0),
        kernel("refused", "mismatch@run: output out0", gain_us=5.0),
        kernel("left out", "it could save 0.01% of the model's time at most", gain_us=0.0),
    ]
    found = reasons(kernels, 1000.0)
    assert list(found.items())[:3] == [("slower", [1, 3.0]), ("even", [1, 1.0]), ("wrong result", [1, 0.5])]
    assert found["admitted"] == [1, 0.0] and found["too little to gain"] == [1, 0.0]
    words = not_admitted(kernels, 1000.0)
    assert words.startswith("1 slower (3.0%), 1 even (1.0%)") and "admitted" not in words


def test_rows_are_planned_and_those_with_most_to_gain_come_first() -> None:
    rows = list(planned(list(CASES)).values())
    assert rows[0].id == "mamba-scan bf16 eval 90s" and {row.model for row in rows[: len(CASES)]} == set(CASES)
    counted = [sum(test(row) for row in rows) for test in (_is_main, _is_wide, _is_trained, _is_longer)]
    assert counted == [9, 3, 3, 3] and len(rows) == 18
    assert all("graphs" in row.beside for row in rows if _is_main(row))
    assert sum("tuned" in row.beside for row in rows) == 4
    assert all(stage in SIDES for row in rows for stage in row.beside)


def _is_main(row: PlannedRow) -> bool:
    return (row.dtype, row.mode, row.budget) == ("bf16", "eval", 90)


def _is_wide(row: PlannedRow) -> bool:
    return row.dtype == "fp32"


def _is_trained(row: PlannedRow) -> bool:
    return row.mode == "train"


def _is_longer(row: PlannedRow) -> bool:
    return row.budget == 300


def test_rows_of_one_type_mode_and_budget_are_a_table() -> None:
    def row(model: str, ratio: float, dtype: str = "bf16", **more: Any) -> dict[str, Any]:
        compared = {"device_ours": {"ratio": ratio, "low": ratio - 0.01, "high": ratio + 0.01}}
        plain = {"model": model, "dtype": dtype, "mode": "eval", "budget": 90.0, "status": "ok"}
        return plain | {"optimize": {"failure": "x"}, "compare": compared} | more

    failed = row("d", 1.0, graphs={"failure": "exit status 1"}, status="graphs failed")
    told = optimized({"a": row("a", 1.1), "b": row("b", 1.2), "c": row("c", 2.0, dtype="fp32"), "d": failed})
    assert set(told["tables"]["bf16 eval 90s"]["compare"]) == {"a", "b", "d"}
    assert told["geometric_mean"]["bf16 eval 90s"] == {"all": 1.097, "without_best": 1.0488}
    assert told["geometric_mean"]["fp32 eval 90s"] == {"all": 2.0} and told["open"] == {"d": "graphs failed"}


def test_other_sizes_lie_around_a_size_and_beyond_what_is_tried() -> None:
    assert other_sizes(16) == {"around": (9, 31), "beyond": (33, 80)}
    assert other_sizes(2) == {"around": (4, 3), "beyond": (5, 10)}
    (batch,), (length,) = resized([torch.arange(6).view(2, 3)], 5), resized([torch.arange(3).view(1, 3)], 2)
    assert batch.tolist() == [[0, 1, 2]] * 3 + [[3, 4, 5]] * 2 and length.tolist() == [[0, 1]]


def test_a_kernel_at_other_sizes_is_right_only_where_its_certificate_holds() -> None:
    def launched(kernel: str, size: int, **more: Any) -> dict[str, Any]:
        plain = {"kernel": kernel, "size": size, "where": "around", "launches": 2, "ours": 2, "fault": 0, "apart": 0.0}
        return plain | more

    rows = {
        "a": {
            "admitted": {"5e32": 1},
            "launches": [
                *[launched("k 5e32", size) for size in (2, 3, 5)],
                launched("k 5e32", 9, ours=0, where="beyond"),
                launched("l 5e32", 2),
            ],
        },
        "b": {
            "admitted": {"77": 1},
            "launches": [launched("k 77", 2, apart=0.5), launched("k 77", 3, fault=1, ours=0)],
        },
        "c": {"failure": "exit status 1"},
    }
    told = summary_of(rows)
    counted = [told[name] for name in ("kernels", "at_four_sizes", "with_ours", "launches", "ours", "ours_beyond")]
    assert counted == [2, 1, 2, 14, 10, 0]
    assert told["not_right"] == ["b: k 77 at 2"] and told["at_fault"] == ["b: k 77 at 3"]
    assert told["open"] == {"c": "exit status 1"} and told["models_with_ours"] == ["a", "b"]
