"""Replacements on a GPU: in force under CUDA graphs, at no cost there, and at hardly any without."""

from pathlib import Path

import gpu
import pytest
import torch


@pytest.mark.gpu
@pytest.mark.slow
@pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a CUDA device")
def test_replacements_are_in_force_and_cost_the_host_little(tmp_path: Path) -> None:
    found = gpu.measure(tmp_path)
    for mode in ("default", "reduce-overhead"):
        assert found[mode]["same"]
        assert found[mode]["replaced"] == found[mode]["kernels"] and min(found[mode]["kernels"]) > 0
    assert found["default"]["added_us_a_launch"] <= 2.0
    added_us = found["reduce-overhead"]["host_us"]
    assert added_us["kernelwright"] <= 1.1 * added_us["inductor"] + 5.0
    assert found["kernelwright"]["first_s"] <= found["inductor"]["first_s"] + 2.0
