"""The table of whole models: rows are summed up as they are."""

import json
from pathlib import Path
from typing import Any

from benchmarks.models.campaign import campaign, options
from benchmarks.models.matrix import cases, summary
from benchmarks.models.zoo import MODELS, WRITERS


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
        def row_of(name: str, left_s: float) -> dict[str, Any]:
            made.append(name)
            return {"ok": name != "b" or made.count("b") > 1, "left": left_s > 0}

        arguments = options("Some models.", str(tmp_path / "out.json"), 60.0).parse_args([*words, "--commit", "abc"])
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
