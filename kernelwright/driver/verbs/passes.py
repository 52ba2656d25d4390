"""List every pass with its options.

usage: kernelwright passes [--json]

For each pass: what it is called in a pipeline, the levels it reads and writes, what it does, and its options
with their defaults. `--json` prints the same as one JSON object, by name.

  kernelwright passes
  kernelwright opt module.py -p 'tune{trials=8}'
"""

import inspect
import json
import sys
from typing import Any

from kernelwright.driver.arguments import Arguments, Flag
from kernelwright.driver.build import registered_passes
from kernelwright.ir.errors import UserError
from kernelwright.ir.passes import Pass
from kernelwright.ir.spec import pass_options

FLAGS = (Flag("--json"),)


def run(arguments: Arguments) -> int:
    """Print the list."""
    if arguments.positional:
        raise UserError(f"passes takes no argument, got {' '.join(arguments.positional)}")
    described = {name: _describe(cls) for name, cls in registered_passes().items()}
    if "--json" in arguments.flags:
        sys.stdout.write(json.dumps(described, indent=2) + "\n")
        return 0
    for name, found in described.items():
        sys.stdout.write(f"{name}  ({found['reads']} -> {found['writes']})\n  {found['summary']}\n")
        for option, about in found["options"].items():
            sys.stdout.write(f"    {option}: {about['type']} = {json.dumps(about['default'])}\n")
    return 0


def _describe(cls: type[Pass]) -> dict[str, Any]:
    options = {name: {"type": kind.__name__, "default": default} for name, (kind, default) in pass_options(cls).items()}
    summary = (inspect.getdoc(cls) or "").partition("\n")[0]
    return {"summary": summary, "reads": str(cls.reads), "writes": str(cls.writes), "options": options}
