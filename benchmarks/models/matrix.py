"""Compile small configurations of fourteen models in every mode, with Inductor's kernels replaced by verified ones.

    python -m benchmarks.models.matrix --out benchmarks/results/models/models_cpu.json

Modes: inference, a training step, one under autocast in bf16, two batch sizes one after the other, and a word of
decoding with a static cache. On the test bed, which interprets Triton's kernels on a CPU. A row has the kernels that
Inductor generates, how many have a reference in aten's operations, how many verified answers are in the store, how many
kernels are replaced, how far results and gradients are from eager's and from Inductor's, and whether a second process
finds all in Inductor's caches. The file gets every row as it is found; the same command goes
on.
"""

import argparse
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from rich.console import Console

from benchmarks.models.row import MODES, row
from benchmarks.models.zoo import MODELS, WRITERS
from benchmarks.row_lines import code_digest, command_line, write_result
from kernelwright.driver.campaigns.campaign import machine
from kernelwright.driver.run.activity import Activity
from kernelwright.driver.run.journal import Journal


def cases(models: Sequence[str], modes: Sequence[str]) -> list[tuple[str, str]]:
    """Every model in every mode that it has; a mode at a time."""
    return [(model, mode) for mode in modes for model in models if mode != "decode" or model in WRITERS]


def summary(rows: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
    """The table's last line."""
    found = [one for one in rows.values() if "error" not in one]
    kernels = sum(one["kernels"] for one in found)
    with_reference = sum(one["with_reference"] + one["in_joint_problems"] for one in found)
    return {
        "rows": len(rows),
        "right": sum(one.get("right", False) for one in rows.values()),
        "kernels": kernels,
        "with_reference": with_reference,
        "share_with_reference": round(with_reference / max(kernels, 1), 3),
        "of_it_in_joint_problems": sum(one["in_joint_problems"] for one in found),
        "swapped": sum(one["swapped"] for one in found),
        "hit_in_a_second_process": sum(one["again_hits"] > 0 and not one["again_misses"] for one in found),
        "not_right": [name for name, one in rows.items() if not one.get("right")],
    }


def main() -> int:
    """Run it; 0 if every row is right."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, default=Path("benchmarks/results/models/models.json"))
    parser.add_argument("--models", nargs="*", default=list(MODELS), choices=list(MODELS))
    parser.add_argument("--modes", nargs="*", default=list(MODES), choices=MODES)
    parser.add_argument("--most", type=int, default=None, help="kernels that are answered for a row; all without it")
    parser.add_argument("--folder", type=Path, default=Path("runs/models"), help="the store, caches and rows so far")
    arguments = parser.parse_args()
    code = code_digest("ir", "frontend", "midend", "backend", "kernelwright")
    caliber = machine() | {"most": arguments.most, "code": code}
    chosen = cases(arguments.models, arguments.modes)
    console = Console(stderr=True)
    command = command_line()
    told = summary({})
    with Journal(arguments.folder / "rows.jsonl", caliber) as journal, Activity(console, "", len(chosen)) as activity:
        for model, mode in chosen:
            name = f"{model} {mode}"
            activity.show(name)
            if name not in journal.results:
                journal.add(name, _row(model, mode, arguments.folder, arguments.most))
                activity.say(f"{name}: {journal.results[name]}")
            activity.advance()
            known = (one for one in map(" ".join, chosen) if one in journal.results)
            rows = {one: {key: value for key, value in journal.results[one].items() if key != "id"} for one in known}
            told = summary(rows)
            write_result(arguments.out, {"command": command, "caliber": caliber, "summary": told, "rows": rows})
    return 0 if not told["not_right"] else 1


def _row(model: str, mode: str, folder: Path, most: int | None) -> dict[str, Any]:
    try:
        return row(model, mode, folder.resolve(), most)
    except AssertionError as error:  # the end of what a process printed
        return {"right": False, "error": str(error)[-1500:]}


if __name__ == "__main__":
    sys.exit(main())
