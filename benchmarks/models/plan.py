"""The rows of the campaign on whole models, as they stand before anything is measured."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

#: What models could gain by faster kernels alone.
CEILINGS = Path(__file__).parents[1] / "results" / "models" / "ceiling_h200.json"


@dataclass(frozen=True)
class PlannedRow:
    """One model in one type and mode, and the seconds that `optimize` has for it. `beside`: what it is compared with
    besides Inductor's default mode; see `SIDES` in `benchmarks.models.optimize`."""

    model: str
    dtype: str = "bf16"
    mode: str = "eval"
    budget: float = 90.0
    beside: tuple[str, ...] = ("graphs",)

    @property
    def id(self) -> str:
        return f"{self.model} {self.dtype} {self.mode} {self.budget:.0f}s"


#: The models that have the longer budget, are compared with Inductor's max-autotune, run in fp32, and are trained.
LONGER = ("llama-1b-prefill", "vit-b", "convnext-t")
#: The last one came later: max-autotune had not compiled convnext-t within 200 s.
TUNED = (*LONGER, "bert-base")
WIDE = ("bert-base", "resnet-50", "unet-block")
TRAINED = ("bert-base", "vit-b", "mamba-scan")
LONGER_S = 300.0


def planned(models: Sequence[str]) -> dict[str, PlannedRow]:
    """All rows by their ids, for models in the order of what their kernels could gain: the main table first."""
    known = json.loads(CEILINGS.read_text("utf-8"))["rows"]
    ordered = sorted(models, key=lambda name: -known[name]["ceilings"]["generated"] if name in known else 0.0)
    rows = [PlannedRow(name, beside=("graphs", "tuned") if name in TUNED else ("graphs",)) for name in ordered]
    rows += [PlannedRow(name, dtype="fp32", beside=()) for name in ordered if name in WIDE]
    rows += [PlannedRow(name, mode="train", beside=()) for name in ordered if name in TRAINED]
    rows += [PlannedRow(name, budget=LONGER_S, beside=()) for name in ordered if name in LONGER]
    return {row.id: row for row in rows}
