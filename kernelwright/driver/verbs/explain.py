"""Tell what runs in a compiled model, kernel by kernel, and why.

usage: kernelwright explain PROGRAM [mode=eval] [calls=11] [seed=0] [store=FOLDER] [out=FILE]

PROGRAM is a file in KernelBench's format: a class Model, get_inputs() and get_init_inputs(). The model is compiled as
torch.compile(model, backend="kernelwright") compiles it, and its calls are profiled on this machine's CUDA device. Each
kernel, and each operation of a library, is a row: its share of the device's time, its time in a call, its floor, and
what runs for it. The floor is what moving its bytes or computing its products takes on this device. For ours the reason
is the certificate; for Inductor's it is what the store says, or what `kernelwright optimize` noted when it tried.

Without a GPU, the kernels that Inductor writes are listed without times, those that move most bytes first.

  mode=eval        a call without gradients; train: with gradients of all parameters; autocast: the same in bf16
  calls=11         how many calls are profiled; times are medians
  seed=0           of the model's weights and of its inputs
  store=FOLDER     another store than the user's
  out=FILE         write it there, too: FILE.html (with certificates), FILE.txt or FILE.json

  kernelwright explain examples/layer_norm_gelu.py out=layer_norm_gelu.html

Exit status: 0 done, 2 bad usage or input, 130 interrupted, 143 terminated.
"""

import sys
from pathlib import Path
from typing import Any

from kernelwright.driver.config.arguments import Arguments, Flag, check_program, whole_number
from kernelwright.driver.config.paths import check_output
from kernelwright.driver.extraction.modes import MODES
from kernelwright.ir.errors import UserError, check_choice

FLAGS: tuple[Flag, ...] = ()
_KEYS = {"mode": "eval", "calls": "11", "seed": "0", "store": "", "out": ""}
_FORMS = (".html", ".txt", ".json")


def run(arguments: Arguments) -> int:
    """Profile the model, print what runs."""
    asked = _asked(arguments)
    from rich.console import Console  # late: what is wrong with arguments is told without torch

    from kernelwright.driver.explaining.explain import explain_model, write
    from kernelwright.driver.extraction.program_file import read_model
    from kernelwright.driver.run.activity import Activity

    path = Path(asked["program"])
    with Activity(Console(stderr=True), "explaining") as activity:
        activity.show(f"profiling {path.name}")
        model, inputs = read_model(path, asked["seed"])
        options = {"store": asked["store"]} if asked["store"] else {}
        found = explain_model(model, inputs, name=path.stem, mode=asked["mode"], calls=asked["calls"], options=options)
    sys.stdout.write(f"{found}\n")
    if asked["out"]:
        write(found, Path(asked["out"]))
    return 0


def _asked(arguments: Arguments) -> dict[str, Any]:
    """The program and the keys, checked; UserError for anything else."""
    program = arguments.path("a program with Model and get_inputs", "explain")
    check_program(program)
    asked = arguments.keys("explain", _KEYS)
    check_choice("mode", asked["mode"], MODES)
    numbers = {key: whole_number(key, asked[key], least) for key, least in (("calls", 1), ("seed", 0))}
    if asked["out"]:
        check_output(asked["out"], "out=")
        if Path(asked["out"]).suffix not in _FORMS:
            raise UserError(f"out={asked['out']}: the name must end in {', '.join(_FORMS)}")
    return {**asked, **numbers, "program": program}
