"""`kernelwright optimize`: a program's model, with a live line and a line for each kernel."""

from pathlib import Path

import torch
from rich.console import Console

from kernelwright.backend.reference.program import ReferenceProgram
from kernelwright.driver.optimize.result import Optimized
from kernelwright.driver.optimize.session import optimize_model
from kernelwright.driver.run.activity import Activity
from kernelwright.frontend.importers import import_source, read_source


def optimize_program(
    path: Path, *, budget: float, mode: str, seed: int, store: Path | None, console: Console
) -> Optimized:
    """Optimise the model of a file in KernelBench's format on this machine's device. Raises UserError."""
    reference = import_source(read_source(path), path.stem, shrink="never").reference
    program, device = ReferenceProgram.load(reference), "cuda" if torch.cuda.is_available() else "cpu"
    model, inputs = program.build(seed, device), program.inputs(seed, device)
    with Activity(console, "optimizing") as activity:
        found = optimize_model(
            model,
            inputs,
            budget=budget,
            mode=mode,
            store=store,
            say=activity.show,
            done=lambda kernel: activity.say(f"  {kernel}"),
        )
        activity.say(f"{found}")
    return found
