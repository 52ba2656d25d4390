"""What a result says of the machine and the code that it was measured with."""

import argparse
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from kernelwright.driver.campaigns.campaign import machine
from kernelwright.evaluation.judge.local import LocalEvaluator


def caliber_of(commit: str, **more: Any) -> dict[str, Any]:
    """The machine with its driver, then `more`, such as how times are taken, and the commit: the one that is checked
    out, if none is given."""
    with LocalEvaluator() as evaluator:
        facts = dict(evaluator.machine.facts)
    return machine() | {"facts": facts, **more, "commit": commit or head()}


def with_caliber(row: Mapping[str, Any], caliber: Mapping[str, Any], first: Mapping[str, Any]) -> dict[str, Any]:
    """A row of a result with a caliber, as it is told among rows with another one, the first: its `caliber` is what is
    different of its own."""
    own = {**caliber, **row.get("caliber", {})}
    other = {key: one for key, one in own.items() if one != first.get(key)}
    kept = {key: one for key, one in row.items() if key != "caliber"}
    return kept | ({"caliber": other} if other else {})


def add_commit(parser: argparse.ArgumentParser) -> None:
    """Give a benchmark's command the option `--commit`."""
    parser.add_argument("--commit", default="", help="the code's commit, where git does not know it")


def head() -> str:
    """The commit that is checked out; "" where git does not know."""
    command = ["git", "-C", str(Path(__file__).parent), "rev-parse", "HEAD"]
    return subprocess.run(command, capture_output=True, text=True, check=False).stdout.strip()
