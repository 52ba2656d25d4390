"""Compile one PyTorch program to verified, tuned Triton.

usage: kernelwright compile PATH [flags] [key=value …]

PATH is a Python file in KernelBench's format: `class Model(nn.Module)`, `get_inputs()` and `get_init_inputs()`. Every
stage is verified. The run folder gets each stage, the final `module.py` and `report.json`.

flags:
  -p, --pipeline SPEC   run these passes instead of the configured ones, e.g. 'lower-inductor,tune{trials=8}'
  --emit WHAT           print the result as triton, ttir, ttgir, llir, ptx, kernelbench or standalone
  -o, --output FILE     write the result to FILE instead, in the form of --emit (default: triton)
  --json                print report.json, and nothing else, on stdout

configuration (defaults first):
  target=auto|…         the GPU to compile for; an unknown name is answered with the known ones
  pipeline=default|lower|search
  evaluator.seeds=…     how many draws of inputs a candidate must be right on
  kernel_by_kernel=auto|always|never   also judge each kernel alone, some seconds each; auto: only if the program
                        computes in 16 bits
  import.shrink=auto|never|always   make sizes small enough for the interpreter
  out=FOLDER  name=NAME  seed=0

  kernelwright compile model.py
  kernelwright compile model.py target=h200 --emit=ptx > model.ptx
  kernelwright compile model.py -p lower-inductor import.shrink=always --json

Exit status: 0 verified, 1 not verified, 2 bad usage or input, 130 interrupted, 143 terminated.
"""

import json
import sys
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING

from kernelwright.backend.compile.compiled import check_cache
from kernelwright.driver.compiling.emit import check_emit, checked_output, emit, write_text
from kernelwright.driver.config.arguments import Arguments, Flag
from kernelwright.driver.config.discovery import read_pipeline
from kernelwright.driver.config.run_folders import COMPILE, check_run_folder, left_by_a_compilation
from kernelwright.driver.run.streams import alone_on_stdout, naming
from kernelwright.driver.run.walls import warn_of_walls
from kernelwright.ir.errors import UserError
from kernelwright.ir.text_files import GIVE_A_PROGRAM, read_program_text
from kernelwright.midend.search.processes import begin

if TYPE_CHECKING:  # Hydra is imported when all that needs no configuration is right
    from kernelwright.driver.config.settings import Settings

FLAGS = (
    Flag("--pipeline", "SPEC", "-p"),
    Flag("--emit", "WHAT"),
    Flag("--output", "FILE", "-o"),
    Flag("--json"),
)
ROOT = "config"
FOLDER = True


def check(arguments: Arguments) -> "Settings":
    """What is asked for. Raises UserError for what cannot be done, without torch."""
    path, flags = arguments.path("a PyTorch program", "compile"), arguments.flags
    read_program_text(Path(path), "", GIVE_A_PROGRAM)
    if "--emit" in flags:
        check_emit(flags["--emit"])
    output = checked_output(flags.get("--output"))
    if output is not None and Path(output).exists() and Path(output).samefile(path):
        raise UserError(f"--output={output} is the program itself; name another file")
    if "--json" in flags and "--emit" in flags and output is None:
        raise UserError("--json and --emit both write to stdout; add -o FILE for what is emitted")
    pipeline = read_pipeline(flags["--pipeline"]) if "--pipeline" in flags else None
    from kernelwright.driver.config.settings import read_settings

    settings = read_settings(Path(path).stem, arguments.composed, pipeline, arguments.root(ROOT))
    from kernelwright.driver.config.beginnings import check_answering, check_packages

    check_run_folder(settings.out, COMPILE)
    if any(mine.samefile(path) for mine in left_by_a_compilation(Path(settings.out))):
        raise UserError(
            f"out={settings.out} holds the program itself, which the run would replace; name another folder"
        )
    check_cache()
    check_packages(settings.policy)
    check_answering(settings.policy)
    return settings


def run(arguments: Arguments) -> int:
    """Compile, report, emit."""
    settings, path, flags = check(arguments), Path(arguments.positional[0]), arguments.flags
    begin(settings.pipeline)

    from rich.console import Console  # late, as all that follows: what is wrong with arguments is told without torch

    from kernelwright.driver.compiling.folder import is_named
    from kernelwright.driver.compiling.program import compile_program
    from kernelwright.driver.compiling.report import print_table
    from kernelwright.driver.run.progress import Progress

    output, emitted = checked_output(flags.get("--output")), "--emit" in flags or "--output" in flags
    quiet = "--json" in flags or (emitted and output is None)
    with alone_on_stdout() if quiet else nullcontext(sys.stdout) as stdout:
        errors = Console(stderr=True)
        anew = is_named(settings) and left_by_a_compilation(Path(settings.out))
        with Progress(errors) as progress, naming(settings.out):
            done = compile_program(path, settings, progress.say, (progress,))
        shown = errors if quiet else Console()
        print_table(done.report, shown)
        warn_of_walls(done.report["caliber"])
        instead = " (replaces an earlier run)" if anew else ""
        shown.print(f"run folder: {done.folder}{instead}", markup=False, highlight=False, soft_wrap=True)
        if "--json" in flags:
            stdout.write(json.dumps(done.report, indent=2) + "\n")
        if emitted:
            what = flags.get("--emit", "triton")
            write_text(emit(done.result.module, what, done.report["target"]), output, stdout)
    return 0 if done.result.ok else 1
