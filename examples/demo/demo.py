"""The main job in under 90 seconds: programs become verified kernels, and their speed is told.

Each program is lowered, rewritten and tuned, and every change is verified. On a GPU the kernels, eager PyTorch and
Inductor are measured side by side. Without a GPU the cost model estimates all three for an H100: eager PyTorch as one
library kernel an operation, Inductor as its plain lowering.
"""

import time
from pathlib import Path

import torch
from rich.console import Console
from rich.table import Table

from kernelwright.backend.cost.eager import estimate_eager_us
from kernelwright.backend.targets import get_target
from kernelwright.driver.compiling.measure import measure_ms
from kernelwright.driver.compiling.program import Compiled, compile_program
from kernelwright.driver.config.discovery import discover
from kernelwright.driver.config.settings import read_settings
from kernelwright.driver.run.build import open_context
from kernelwright.ir.passes import Context

HERE = Path(__file__).parent
TOUR = (
    HERE.parent / "layer_norm_gelu.py",
    HERE / "wide_softmax.py",
    HERE / "norm_mish.py",
    HERE / "diagonal_product.py",
)
PASSES = "lower-inductor,diagonal-products,exp-identities,persistent-rows,tune{trials=8}"


def main(tour: tuple[Path, ...] = TOUR) -> int:
    """Compile the tour and print a table and one program's kernels; 0 if every program ends verified."""
    discover()
    console, start = Console(), time.perf_counter()
    settings = [read_settings(path.stem, ["import.shrink=never"], PASSES) for path in tour]
    with open_context(settings[0], lambda line: console.print(f"  {line}", markup=False, highlight=False)) as context:
        compiled = []
        for path, each in zip(tour, settings, strict=True):
            console.print(f"{path.stem}: {PASSES}", markup=False, highlight=False, soft_wrap=True)
            compiled.append(compile_program(path, each, context=context))
        table = speeds(compiled, context)
    path = compiled[-1].folder / "module.py"
    text = path.read_text("utf-8")
    print(f"\nThe kernels of {tour[-1].stem}, from {path}:\n\n{text[text.index('# covers') :]}")
    console.print(table)
    verified = sum(program.result.ok for program in compiled)
    seconds = time.perf_counter() - start
    print(f"{verified} of {len(compiled)} programs end with verified kernels, after {seconds:.0f} s")
    return 0 if verified == len(compiled) else 1


def speeds(compiled: list[Compiled], context: Context) -> Table:
    """A row a program: its verdict, microseconds a call, and how many times as fast it is as each baseline."""
    gpu = torch.cuda.is_available()
    how = f"measured on {torch.cuda.get_device_name()}" if gpu else f"estimated for {context.target}: no GPU here"
    table = Table(title=f"Microseconds a call, {how}", box=None, pad_edge=False, title_justify="left")
    for heading in ("program", "verdict"):
        table.add_column(heading, no_wrap=True)
    for heading in ("eager", "Inductor", "ours", "vs eager", "vs Inductor"):
        table.add_column(heading, justify="right", no_wrap=True)
    for program in compiled:
        eager, inductor, ours = measured_us(program) if gpu else estimated_us(program, context)
        times = [f"{us:.1f}" for us in (eager, inductor, ours)]
        verdict = f"{program.result.verdict.status}@{program.result.verdict.rung}"
        table.add_row(program.result.module.name, verdict, *times, f"{eager / ours:.2f}x", f"{inductor / ours:.2f}x")
    return table


def measured_us(program: Compiled) -> tuple[float, float, float]:
    """Microseconds of eager PyTorch, Inductor and our kernels, measured in turns on this machine's GPU."""
    times = measure_ms(program.result.module, inductor=True)
    return 1e3 * times["eager"], 1e3 * times["inductor"], 1e3 * times["candidate"]


def estimated_us(program: Compiled, context: Context) -> tuple[float, float, float]:
    """The same by the cost model; Inductor's is that of its plain lowering, which is the first stage."""
    stages = program.report["stages"]
    eager = estimate_eager_us(program.result.module.reference, get_target(context.target))
    return eager, stages[0]["estimated_us"], stages[-1]["estimated_us"]


if __name__ == "__main__":
    raise SystemExit(main())
