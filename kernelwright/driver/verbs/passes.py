"""List every pass with its options.

usage: kernelwright passes [--json]

Each pass has its name in a pipeline, the levels that it reads and writes, its purpose, and its options with their
defaults. A rewrite of kernels also has its rule: what it needs of a kernel, what it changes, what it keeps. `--json`
prints one JSON object with an entry for each name.

  kernelwright passes
  kernelwright opt module.py -p 'tune{trials=8}'

Exit status: 0 done, 2 bad usage or input, 130 interrupted, 143 terminated.
"""

import json
import sys
from dataclasses import asdict

from kernelwright.driver.compiling.pass_list import PassInfo
from kernelwright.driver.config.arguments import Arguments, Flag
from kernelwright.driver.config.discovery import discover
from kernelwright.ir.errors import UserError
from kernelwright.ir.passes import REGISTRY

FLAGS = (Flag("--json"),)


def run(arguments: Arguments) -> int:
    """Print the list."""
    if arguments.positional:
        raise UserError(f"passes takes no argument, got {' '.join(arguments.positional)}")
    discover()
    usable = REGISTRY.load_all(lambda line: sys.stderr.write(f"kernelwright: left out: {line}\n"))
    listed = list(map(PassInfo.of, usable.values()))
    if "--json" in arguments.flags:
        described = {one.name: {key: value for key, value in asdict(one).items() if key != "name"} for one in listed}
        sys.stdout.write(json.dumps(described, indent=2) + "\n")
        return 0
    for one in listed:
        origin = "" if one.package == "kernelwright" else f", of {one.package}"
        sys.stdout.write(f"{one.name}  ({one.reads} -> {one.writes}{origin})\n  {one.summary}\n")
        for word in ("needs", "changes", "keeps"):
            if text := getattr(one, word):
                sys.stdout.write(f"    {word} {text}\n")
        for name, option in one.options.items():
            sys.stdout.write(f"    {name}: {option.type} = {json.dumps(option.default)}\n")
    return 0
