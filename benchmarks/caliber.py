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


def otherwise(caliber: Mapping[str, Any], first: Mapping[str, Any]) -> dict[str, Any]:
    """What a row tells of a caliber that is not the first one's: `caliber` with what is different, or nothing."""
    other = {key: one for key, one in caliber.items() if one != first.get(key)}
    return {"caliber": other} if other else {}


def add_commit(parser: argparse.ArgumentParser) -> None:
    """Give a benchmark's command the option `--commit`."""
    parser.add_argument("--commit", default="", help="the code's commit, where git does not know it")


def head() -> str:
    """The commit that is checked out; "" where git does not know."""
    command = ["git", "-C", str(Path(__file__).parent), "rev-parse", "HEAD"]
    return subprocess.run(command, capture_output=True, text=True, check=False).stdout.strip()
