"""Whole models: most of their kernels have a reference, and rows are summed up as they are."""

from typing import Any

import pytest

from benchmarks.models.matrix import cases, summary
from benchmarks.models.zoo import MODELS, WRITERS, built
from kernelwright.driver.extraction.recording import record_model


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


@pytest.mark.slow
def test_most_kernels_of_every_model_have_a_reference() -> None:
    kernels = with_reference = 0
    for name in MODELS:
        model, inputs = built(name, "eval")
        graphs = record_model(model, inputs[0], "eval")
        found = [kernel for graph in graphs for kernel in graph.kernels]
        together = {key for kernel in found for key in kernel.parts}
        alone = [kernel for kernel in found if not kernel.parts]
        known = [kernel for kernel in alone if kernel.graph is not None or kernel.key in together]
        assert known, name
        assert not any(graph.why_not for graph in graphs), name
        kernels, with_reference = kernels + len(alone), with_reference + len(known)
    assert with_reference >= 0.7 * kernels, (with_reference, kernels)
