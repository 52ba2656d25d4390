"""What faster kernels could bring to nine models on a GPU at most: where the device time of Inductor's code goes.

    python -m benchmarks.models.ceiling --jobs 3 --seconds 400 --out benchmarks/results/models/ceiling_h100.json

A process for each model profiles inference in bf16, with an empty store, so that all kernels are Inductor's. A kernel's
floor is what moving its bytes takes on this device, and an operation's besides what its products take at the rate of a
large product; both are measured. `longest` has, of the longest rows, the share of time, microseconds, the floor, the
number of launches and what it is. OUT.journal gets every row as it is found, and the same command goes on from there.
`--tiny` makes models small and needs no GPU: kernels are interpreted, and no floor is known.
"""

import argparse
import json
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from statistics import geometric_mean
from typing import Any

import torch

from benchmarks.models.apart import apart
from benchmarks.models.campaign import campaign, options, status_of
from benchmarks.models.cases import CASES
from benchmarks.models.row import bed
from kernelwright.driver.profile.ceilings import Ceilings, is_epilogue
from kernelwright.driver.profile.profiling import profile_model
from kernelwright.driver.profile.rows import Kind, Row

#: Calls that are profiled, and how many of the longest rows of a model are told.
CALLS, TOLD = 15, 12
#: Models in which kernels alone bring less are named.
LEAST = 1.05
_MODULE = "benchmarks.models.ceiling"


def profiled(name: str, tiny: bool) -> dict[str, Any]:
    """A model's row."""
    began = time.perf_counter()
    model, inputs = CASES[name].built(tiny)
    profile = profile_model(model, inputs, calls=2 if tiny else CALLS)
    ceilings = Ceilings.of(profile)
    shares = {str(kind): sum(row.share for row in profile.rows if row.kind is kind) for kind in Kind}
    kernels = [row for row in profile.rows if row.kind is Kind.GENERATED]
    return {
        "sizes": "small" if tiny else CASES[name].sizes,
        "device_us": _rounded(profile.us.us),
        "device_us_interval": [_rounded(profile.us.low), _rounded(profile.us.high)],
        "accounted": round(profile.accounted, 4),
        "shares": {kind: round(share, 4) for kind, share in shares.items()},
        "kernels": len(kernels),
        "launches": sum(row.calls for row in profile.rows),
        "epilogues": sum(map(is_epilogue, kernels)),
        "ceilings": None if ceilings is None else {kind: round(one, 3) for kind, one in asdict(ceilings).items()},
        "longest": [
            [round(row.share, 4), _rounded(row.times.us), _rounded(row.floor_us), row.calls, _named(row)]
            for row in profile.rows[:TOLD]
        ],
        "seconds": round(time.perf_counter() - began, 1),
    }


def _named(row: Row) -> str:
    """What a row is, in few words."""
    told = row.detail.replace("bfloat16", "") if row.kind is not Kind.GENERATED else f"{row.form} {row.name}"
    begun = told if row.kind is Kind.GENERATED else f"{row.name} {told}"
    return (f"{begun} after {row.after}" if row.after else begun)[:88]


def _rounded(us: float) -> float:
    return float(f"{us:.4g}")


def row_of(name: str, tiny: bool, limit_s: float) -> dict[str, Any]:
    """A model's row, found in a process of its own; a `failure` in words where it finds nothing."""
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        if not torch.cuda.is_available():
            interpreted: dict[str, Any] = bed().run(f"from {_MODULE} import profiled as work\n", folder, name, tiny)
            return interpreted
        given = ["--child", "--only", name, *(["--tiny"] if tiny else [])]
        found, said = apart(["-m", _MODULE], given, folder, "row", limit_s)
    if "failure" in found:
        sys.stderr.write(f"{name}: {said[-5000:]}\n")
    return found


def summary(rows: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
    """What the rows say in all."""
    done = {name: row for name, row in rows.items() if "failure" not in row}
    known = {name: row["ceilings"] for name, row in done.items() if row["ceilings"] is not None}
    kinds = {kind: [one[kind] for one in known.values()] for kind in next(iter(known.values()), ())}
    return {
        "models": len(rows),
        "failed": [name for name in rows if name not in done],
        "accounted_at_least": min((row["accounted"] for row in done.values()), default=None),
        "ceilings_geometric_mean": {kind: round(geometric_mean(some), 3) for kind, some in kinds.items()},
        "kernels_alone_below": {"limit": LEAST, "models": [n for n, one in known.items() if one["generated"] < LEAST]},
    }


def main(given: Sequence[str] | None = None) -> int:
    """Write OUT; 0 if every model has a profile."""
    parser = options(__doc__, "runs/models/ceiling.json", 200.0)
    parser.add_argument("--child", action="store_true", help=argparse.SUPPRESS)
    arguments = parser.parse_args(given)
    if arguments.child:
        arguments.out.write_text(json.dumps(profiled(arguments.only, arguments.tiny)), "utf-8")
        return 0
    found = campaign(
        arguments,
        list(CASES),
        lambda name, left, _before: row_of(name, arguments.tiny, min(arguments.limit, max(left, 1.0))),
        lambda row: "failure" in row,
        summary,
        lambda row: row.get("failure", row.get("ceilings")),
        calls=CALLS,
    )
    return 0 if not found["failed"] else 1


if __name__ == "__main__":
    sys.exit(status_of(main))
