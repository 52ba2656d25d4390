"""The table of whole models: rows are summed up as they are."""

from typing import Any

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
