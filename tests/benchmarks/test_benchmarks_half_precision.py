"""Small architectures in 16 bits: their programs, a few of them verified whole, and faults that are planted in them."""

from types import ModuleType

import pytest
import torch

from kernelwright.evaluation.judge.local import LocalEvaluator

BENCHMARK = "judge.half_precision"


def test_every_program_runs_in_its_precision(benchmark: ModuleType) -> None:
    assert len(benchmark.ARCHITECTURES) == 14
    dtypes = {"bf16": torch.bfloat16, "fp16": torch.float16, "fp32": torch.float32}
    for model in benchmark.ARCHITECTURES:
        for precision, dtype in dtypes.items():
            space: dict = {}
            exec(benchmark.source(model, precision), space)
            with torch.no_grad():
                output = space["Model"]()(*space["get_inputs"]())
            assert output.dtype == dtype and bool(output.isfinite().all()), (model, precision)


def test_every_model_has_a_fault_and_is_changed_by_it(benchmark: ModuleType) -> None:
    planted = {model for fault in benchmark.FAULTS for model in fault.models}
    assert planted == set(benchmark.ARCHITECTURES)
    for fault in benchmark.FAULTS:
        for model in fault.models:
            values = []
            for one in (None, fault):
                space: dict = {}
                exec(benchmark.source(model, "fp32", one), space)
                torch.manual_seed(0)
                inputs = space["get_inputs"]()
                torch.manual_seed(1)
                built = space["Model"]().eval()
                with torch.no_grad():
                    built(*inputs)
                    values.append(built(*inputs))
            near = torch.allclose(*values)
            tiny = (model, fault.name) == ("convnext", "a dropped residual")
            rare = (model, fault.right[:2]) == ("bert", "(x")  # few tokens are padding
            assert not near or tiny or rare, (model, fault)


@pytest.mark.slow
@pytest.mark.parametrize(("model", "precision", "by"), [("convnext", "bf16", 3), ("resnet", "autocast", 1)])
def test_a_model_is_verified_and_its_planted_faults_are_refused(
    model: str, precision: str, by: int, benchmark: ModuleType
) -> None:
    found = []
    with LocalEvaluator(seeds=1, timeout_s=300, use_gpu=False) as judge:
        for case in benchmark.cases((model,), (precision,)):
            row = benchmark.row(case, judge)
            assert row["right"], (case.name, row)
            assert row["alone"] + len(row["left_out"]) > 0 or case.fault is not None, row
            wrong = row["wrong_alone"] or row["found_by"]
            found.append(wrong.partition(" @")[0].removesuffix("s"))
    assert found == ["", "whole model", "kernel", "kernel"][: 1 + by]
