"""`explain`: profiles a model where there is a GPU, and lists its kernels where there is none."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import torch
from torch import nn

from kernelwright.driver.config.paths import check_output
from kernelwright.driver.explaining.explanation import Explanation
from kernelwright.driver.explaining.outcomes import outcomes
from kernelwright.driver.explaining.page import page
from kernelwright.driver.extraction.modes import EVAL, MODES, TRAIN
from kernelwright.driver.profile.listing import listed_model
from kernelwright.driver.profile.profiling import CALLS, interpreting, profile_model
from kernelwright.driver.profile.rows import Profile, Row
from kernelwright.ir.errors import UserError, check_choice

#: What `out` may be called, and what is written there.
FORMS = (".html", ".txt", ".json")


def explain_model(
    model: nn.Module,
    inputs: Sequence[Any],
    *,
    name: str | None = None,
    mode: str | None = None,
    calls: int = CALLS,
    options: Mapping[str, Any] | None = None,
) -> Explanation:
    """As `kernelwright.explain`. Raises UserError for bad input."""
    chosen = mode or (TRAIN if model.training else EVAL)
    check_choice("mode", chosen, MODES)
    if isinstance(calls, bool) or not isinstance(calls, int) or calls < 1:
        raise UserError(f"calls={calls!r}: give a whole number of calls, at least 1")
    if torch.cuda.is_available() or interpreting():
        profile = profile_model(model, inputs, chosen, options=options, calls=calls)
    else:
        profile = listed_model(model, inputs, chosen, options=options)
    return Explanation(name or type(model).__name__, chosen, _with_outcomes(profile))


def _with_outcomes(profile: Profile) -> Profile:
    """With the reasons of `optimize` where it tried and Inductor's kernels run."""
    tried = outcomes(row.key for row in profile.rows if row.key and row.runs == "inductor")

    def told(row: Row) -> Row:
        return replace(row, why=tried[row.key]) if row.runs == "inductor" and row.key in tried else row

    return replace(profile, rows=tuple(map(told, profile.rows)))


def check_out(out: Path) -> None:
    """UserError where nothing can be written there."""
    check_output(out, "out=")
    if out.suffix not in FORMS:
        raise UserError(f"out={out}: the name must end in {', '.join(FORMS)}")


def write(explanation: Explanation, out: Path) -> None:
    """Write it in the form that the name ends in. Raises UserError where that fails."""
    check_out(out)
    forms = {".html": lambda: page(explanation), ".txt": lambda: f"{explanation}\n", ".json": explanation.json}
    try:
        out.write_text(forms[out.suffix](), encoding="utf-8")
    except OSError as error:
        raise UserError(f"out={out}: {error.strerror}") from error
