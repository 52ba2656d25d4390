"""Optimising a live model with the configured judge, for this machine's device."""

import os
import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from functools import partial
from pathlib import Path

from torch import nn

from kernelwright.backend.measure.children import cores
from kernelwright.backend.store.store import Store
from kernelwright.backend.tensors import Value
from kernelwright.driver.config.discovery import discover
from kernelwright.driver.config.settings import read_settings
from kernelwright.driver.extraction.modes import EVAL, MODES, TRAIN
from kernelwright.driver.optimize.answering import Beside, Here
from kernelwright.driver.optimize.asking import searching
from kernelwright.driver.optimize.optimizing import Optimizing
from kernelwright.driver.optimize.result import Kernel, Optimized
from kernelwright.driver.optimize.subjects import Model, Subject
from kernelwright.driver.run.build import open_context, resolve_target, silent
from kernelwright.ir.errors import UserError, check_choice
from kernelwright.ir.passes import Context

#: Kernels that are searched at a time, where there are cores enough.
AT_ONCE = 4
#: Faulty variants of each admitted kernel that are judged in what is left of the time.
MUTANTS = 12


def optimize_model(
    model: nn.Module,
    inputs: Sequence[Value],
    *,
    budget: float,
    mode: str | None = None,
    dynamic: bool = False,
    store: Path | None = None,
    repro: Path | None = None,
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
    return optimize_subject(
        Model(model, inputs, chosen, dynamic), budget, Store.open(store), overrides, say, done, repro
    )


def optimize_subject(
    subject: Subject,
    budget: float,
    store: Store,
    overrides: Sequence[str] = (),
    say: Callable[[str], None] = silent,
    done: Callable[[Kernel], None] = lambda _kernel: None,
    repro: Path | None = None,
) -> Optimized:
    """The same for whatever can be run."""
    interprets = os.environ.get("TRITON_INTERPRET") == "1"
    if subject.device != "cuda" and not interprets:
        raise UserError(f"optimize needs a model on a CUDA device, and this one is on {subject.device}")
    discover()
    began = time.monotonic()
    settings = read_settings("model", [f"target={'interpreter' if interprets else 'auto'}", *overrides])
    with ExitStack() as stack:
        if interprets:  # where nothing is measured, and nothing is to be gained by doing it beside
            context = stack.enter_context(open_context(settings, say))
            return Optimizing(subject, float(budget), store, context, Here(context), say, done, repro=repro).run()
        at_once = max(1, min(AT_ONCE, cores() // 4))
        searchers = max(1, cores() // at_once - 1)
        beside = stack.enter_context(Beside(settings, at_once, searchers, float(budget)))
        context = Context(resolve_target(settings.target))
        searched = partial(searching, searchers=searchers)
        return Optimizing(
            subject,
            float(budget),
            store,
            context,
            beside,
            say,
            done,
            searched,
            at_once,
            mutants=MUTANTS,
            began=began,
            repro=repro,
        ).run()
