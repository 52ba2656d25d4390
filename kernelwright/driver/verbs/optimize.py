"""Find faster kernels for a model, for torch.compile to use in the place of Inductor's.

usage: kernelwright optimize PROGRAM [budget=90] [mode=eval] [dynamic=false] [seed=0] [store=FOLDER]
                            [repro=FOLDER] [out=FILE]

PROGRAM is a file in KernelBench's format: a class Model, get_inputs() and get_init_inputs(). The model is compiled by
Inductor and run on this machine's CUDA device. Its Triton kernels are searched one after another, those with most to
gain first. A faster kernel is admitted if the judge verifies it, and if it is faster in the running model: Inductor's
kernel and ours run in turns, and the 99% interval of the ratio of their times must lie above 1. At the end, the whole
model is timed with all admitted kernels; if it is not faster with them, half of them are dropped.

Admitted kernels are in the store, and torch.compile(model, backend="kernelwright") uses them from then on.

  budget=SECONDS   for everything; the same command goes on where this one stopped
  mode=eval        a call without gradients; train: with gradients of all parameters; autocast: the same in bf16
  dynamic=true     compile as torch.compile(dynamic=True) does; admitted kernels are verified at several sizes, and used
                   for the sizes between them
  seed=0           of the model's weights and of its inputs
  store=FOLDER     another store than the user's
  repro=FOLDER     write there, for each kernel that was made and not admitted, a folder with the problem, our kernel,
                   the verdict, and run.sh, which judges it again
  out=FILE         write the outcome of every kernel there, as JSON

A line for each kernel goes to stderr, and a summary in JSON to stdout.

  kernelwright optimize examples/layer_norm_gelu.py budget=60

Exit status: 0 done, 2 bad usage or input, 130 interrupted, 143 terminated; both keep what was admitted.
"""

import json
import sys
from pathlib import Path
from typing import Any

from kernelwright.driver.config.arguments import Arguments, Flag, check_program, whole_number
from kernelwright.driver.config.paths import check_new_file
from kernelwright.driver.extraction.modes import MODES
from kernelwright.ir.errors import UserError, check_choice

FLAGS: tuple[Flag, ...] = ()
_KEYS = {"budget": "90", "mode": "eval", "dynamic": "false", "seed": "0", "store": "", "repro": "", "out": ""}


def run(arguments: Arguments) -> int:
    """Spend the budget, print the summary."""
    asked = _asked(arguments)
    from rich.console import Console  # late: what is wrong with arguments is told without torch

    from kernelwright.driver.optimize.program import optimize_program

    found = optimize_program(
        Path(asked["program"]),
        budget=asked["budget"],
        mode=asked["mode"],
        dynamic=asked["dynamic"] == "true",
        seed=asked["seed"],
        store=Path(asked["store"]).expanduser() if asked["store"] else None,
        repro=Path(asked["repro"]).expanduser() if asked["repro"] else None,
        console=Console(stderr=True),
    )
    told = found.told()
    if asked["out"]:
        Path(asked["out"]).write_text(json.dumps(told, indent=1) + "\n", encoding="utf-8")
    sys.stdout.write(json.dumps({key: value for key, value in told.items() if key != "kernels"}) + "\n")
    if found.stopped == "interrupted":
        raise KeyboardInterrupt(
            f"{len(found.admitted)} admitted kernels are kept in the store; the same command goes on from there"
        )
    return 0


def _asked(arguments: Arguments) -> dict[str, Any]:
    """The program and the keys, checked; UserError for anything else."""
    program = arguments.path("a program with Model and get_inputs", "optimize")
    check_program(program)
    asked: dict[str, Any] = {**arguments.keys("optimize", _KEYS)}
    check_choice("mode", asked["mode"], MODES)
    check_choice("dynamic", asked["dynamic"], ("false", "true"))
    seed = whole_number("seed", asked["seed"])
    try:
        asked["budget"] = float(asked["budget"])
    except ValueError:
        asked["budget"] = 0.0
    if not 0 < asked["budget"] < float("inf"):
        raise UserError("budget: give a number of seconds")
    if asked["out"]:
        check_new_file(asked["out"], "out=")
    return {**asked, "seed": seed, "program": program}
