"""Optimising a live model with the configured judge, for this machine's device."""

from collections.abc import Callable, Sequence
from pathlib import Path

import torch
from torch import nn

from kernelwright.backend.store.store import Store
from kernelwright.backend.tensors import Value
from kernelwright.driver.config.discovery import discover
from kernelwright.driver.config.settings import read_settings
from kernelwright.driver.extraction.recording import EVAL, MODES, TRAIN
from kernelwright.driver.optimize.optimizing import Optimizing
from kernelwright.driver.optimize.result import Kernel, Optimized
from kernelwright.driver.run.build import open_context, silent
from kernelwright.ir.errors import UserError, check_choice


def optimize_model(
    model: nn.Module,
    inputs: Sequence[Value],
    *,
    budget: float,
    mode: str | None = None,
    store: Path | None = None,
    overrides: Sequence[str] = (),
    say: Callable[[str], None] = silent,
    done: Callable[[Kernel], None] = lambda _kernel: None,
) -> Optimized:
    """As `kernelwright.optimize`; `overrides` is configuration as the command line takes it, `done` gets each kernel as
    it is decided. Raises UserError for bad input."""
    if isinstance(budget, bool) or not isinstance(budget, int | float) or not budget > 0:
        raise UserError(f"budget={budget!r}: give a number of seconds")
    chosen = mode or (TRAIN if model.training else EVAL)
    check_choice("mode", chosen, MODES)
    discover()
    target = "auto" if torch.cuda.is_available() else "interpreter"
    settings = read_settings(type(model).__name__, [f"target={target}", *overrides])
    with open_context(settings, say) as context:
        kept = Store.open(store)
        return Optimizing(model, inputs, chosen, float(budget), kept, context, say, done).run()
