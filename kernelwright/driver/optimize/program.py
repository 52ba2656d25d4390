"""`kernelwright optimize`: a program's model, with a live line and a line for each kernel."""

from pathlib import Path

from rich.console import Console

from kernelwright.driver.extraction.program_file import read_model
from kernelwright.driver.optimize.result import Optimized
from kernelwright.driver.optimize.session import optimize_model
from kernelwright.driver.run.activity import Activity


def optimize_program(
    path: Path,
    *,
    budget: float,
    mode: str,
    dynamic: bool,
    seed: int,
    store: Path | None,
    repro: Path | None,
    console: Console,
) -> Optimized:
    """Optimise the model of a file in KernelBench's format on this machine's device. Raises UserError."""
    model, inputs = read_model(path, seed)
    with Activity(console, "optimizing") as activity:
        found = optimize_model(
            model,
            inputs,
            budget=budget,
            mode=mode,
            dynamic=dynamic,
            store=store,
            repro=repro,
            say=activity.show,
            done=lambda kernel: activity.say(f"  {kernel}"),
        )
        activity.say(f"{found}")
    return found
