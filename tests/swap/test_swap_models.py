"""Whole models: three in every mode, the others in inference, with kernels replaced; most kernels have references."""

from pathlib import Path
from typing import Any

import bed
import pytest

from benchmarks.models.matrix import cases
from benchmarks.models.row import ROUNDING
from benchmarks.models.zoo import MODELS

#: In all modes; the others in inference, some in a process together.
THREE = ("llama", "bert", "resnet")
_OTHERS = [name for name in MODELS if name not in THREE]
GROUPS = [*[(name,) for name in THREE], *[tuple(_OTHERS[place::3]) for place in range(3)]]


def compared(rows: list[list[str]]) -> list[dict[str, Any]]:
    """Rows: a model in a mode. Two of its kernels are replaced by texts of their own, which the store has for them, so
    that nothing is judged here; what is compared is the exchange, and results with eager's."""
    import entries
    import torch

    from benchmarks.models.row import RECORDED, counted, results
    from benchmarks.models.zoo import built
    from kernelwright.driver.extraction.recording import record_model
    from kernelwright.driver.torch_compile import regions

    found, recorded = [], {}
    for name, mode in rows:
        model, inputs = built(name, mode)
        once = (name, mode) if mode == "decode" else (name, RECORDED[mode])  # two batch sizes begin as inference does
        if once not in recorded:
            recorded[once] = record_model(model, inputs[0], RECORDED[mode])
        graphs = recorded[once]
        kernels = [kernel for graph in graphs for kernel in graph.kernels]
        known = [kernel for kernel in kernels if kernel.graph is not None and not kernel.parts]
        # The first and the last one: of both passes, where there are two.
        entries.keep([known[0], known[-1]])
        eager, ours = (results(name, mode, backend, {}) for backend in ("eager", "kernelwright"))
        replaced = [region.replaced for region in regions()]
        errors = [(a - b).abs().max() for a, b in zip(ours, eager, strict=True)]
        largest = max(one.abs().max() for one in eager)
        found.append(
            {
                "row": f"{name} {mode}",
                **counted(graphs),
                "why_not": [graph.why_not for graph in graphs if graph.why_not],
                "replaced": replaced,
                # Of the largest value of all: some gradients are nothing but rounding.
                "apart": float(max(errors) / largest),
            }
        )
        torch.compiler.reset()
    return found


@pytest.mark.slow
@pytest.mark.parametrize("group", GROUPS, ids="+".join)
def test_a_model_gives_the_same_with_kernels_replaced(group: tuple[str, ...], tmp_path: Path) -> None:
    modes = ["eval", "train", "autocast", "batches", "decode"] if group[0] in THREE else ["eval"]
    rows = bed.run(compared, tmp_path, cases(group, modes))
    assert len(rows) == len(cases(group, modes))
    for one in rows:
        assert not one["why_not"] and sum(one["replaced"]) >= 1, one
        assert one["with_reference"] + one["in_joint_problems"] >= 0.7 * one["kernels"], one
        rounding = 2e-2 if one["row"].endswith("autocast") else 10 * ROUNDING
        assert one["apart"] <= rounding, one
