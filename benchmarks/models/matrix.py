"""Compile small configurations of fourteen models in every mode, with Inductor's kernels replaced by verified ones.

    python -m benchmarks.models.matrix --out benchmarks/results/models/models_cpu.json

Modes: inference, a training step, one under autocast in bf16, two batch sizes one after the other, and a word of
decoding with a static cache. On the test bed, which interprets Triton's kernels on a CPU. A row has the kernels that
Inductor generates, how many have a reference in aten's operations, how many verified answers are in the store, how many
kernels are replaced, how far results and gradients are from eager's and from Inductor's, and whether a second process
finds all in Inductor's caches. The file gets every row as it is found, and the same command goes on: with rows that are
open, and with those that failed.
"""

import argparse
import math
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from pathlib import Path
from typing import Any

from rich.console import Console

from benchmarks.models.row import MODES, row
from benchmarks.models.zoo import MODELS, WRITERS
from benchmarks.row_lines import code_digest, command_line, write_result
from kernelwright.driver.campaigns.campaign import machine
from kernelwright.driver.run.activity import Activity
from kernelwright.driver.run.journal import Journal

#: What a row depends on.
CODE = ("ir", "frontend", "midend", "backend", "kernelwright")


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
        "failed": len(rows) - len(found),
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
    parser.add_argument("--jobs", type=int, default=1, help="rows at a time, each of one process")
    parser.add_argument("--seconds", type=float, default=math.inf, help="begin no more rows after so many seconds")
    parser.add_argument("--folder", type=Path, default=Path("runs/models"), help="the store, caches and rows so far")
    arguments = parser.parse_args()
    caliber = machine() | {"most": arguments.most, "code": code_digest(*CODE)}
    chosen = cases(arguments.models, arguments.modes)
    names = [" ".join(case) for case in chosen]
    with (
        Journal(arguments.folder / "rows.jsonl", caliber) as journal,
        Activity(Console(stderr=True), "", len(chosen)) as activity,
    ):
        known = journal.results
        told = _told(arguments.out, caliber, {name: known[name] for name in names if name in known})
        for _ in range(told["rows"] - told["failed"]):
            activity.advance()
        ahead = [case for case, name in zip(chosen, names, strict=True) if "error" in known.get(name, {"error": ""})]
        for name, found in _found(ahead, arguments):
            journal.add(name, found)
            activity.say(f"{name}: {found}")
            activity.advance()
            told = _told(arguments.out, caliber, {name: known[name] for name in names if name in known})
    return 0 if told["rows"] == len(chosen) and not told["not_right"] else 1


def _told(out: Path, caliber: Mapping[str, Any], known: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
    """The table's last line, written with the rows."""
    rows = {name: {key: value for key, value in row.items() if key != "id"} for name, row in known.items()}
    told = summary(rows)
    write_result(out, {"command": command_line(), "caliber": caliber, "summary": told, "rows": rows})
    return told


def _found(chosen: Sequence[tuple[str, str]], arguments: argparse.Namespace) -> Iterator[tuple[str, dict[str, Any]]]:
    """Rows by name, as they are done; none that would begin after time is up."""
    began = time.monotonic()

    def work(case: tuple[str, str]) -> dict[str, Any] | None:
        late = time.monotonic() - began > arguments.seconds
        return None if late else _row(*case, arguments.folder, arguments.most)

    with ThreadPoolExecutor(arguments.jobs) as threads:
        waiting = {threads.submit(work, case): " ".join(case) for case in chosen}
        for future in as_completed(waiting):
            if (found := future.result()) is not None:
                yield waiting[future], found


def _row(model: str, mode: str, folder: Path, most: int | None) -> dict[str, Any]:
    try:
        return row(model, mode, folder.resolve(), most)
    except AssertionError as error:  # the end of what a process printed
        return {"right": False, "error": str(error)[-1500:]}


if __name__ == "__main__":
    sys.exit(main())
