"""Lower fourteen small architectures in every precision, verify them whole, and see that planted faults are refused.

    python benchmarks/half_precision.py --out benchmarks/results/half_precision_cpu.json

A row is one architecture in one precision, or one of those with a planted fault, which is judged against the right
program. The file gets every row as it is found; the same command goes on from there.
"""

import argparse
import json
import shlex
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from architectures import ARCHITECTURES, FAULTS, PRECISIONS, Fault, source
from row_lines import write_result

from kernelwright.agent.evaluator import Rung, Status
from kernelwright.driver.campaigns.campaign import machine
from kernelwright.evaluation.judge.local import LocalEvaluator
from kernelwright.frontend.importers import import_source
from kernelwright.frontend.lower_inductor import LowerInductor
from kernelwright.ir.errors import KernelwrightError
from kernelwright.ir.passes import Context
from kernelwright.ir.values import KernelModule

RUNGS = (Rung.PARSE, Rung.INTERPRET)


@dataclass(frozen=True)
class Case:
    """What a row is about."""

    model: str
    precision: str
    fault: Fault | None = None

    @property
    def name(self) -> str:
        """As rows name it."""
        changed = f", {self.fault.name}: {self.fault.wrong}" if self.fault else ""
        return f"{self.model} in {self.precision}{changed}"


def cases(models: tuple[str, ...], precisions: tuple[str, ...]) -> Iterator[Case]:
    """Every model in every precision, and then the faults of each."""
    for model in models:
        for precision in precisions:
            yield Case(model, precision)
            yield from (Case(model, precision, fault) for fault in FAULTS if model in fault.models)


def lowered(model: str, precision: str, fault: Fault | None = None) -> KernelModule:
    """The program as kernels; a wrong one has the reference of the right one."""
    module = import_source(source(model, precision, fault), model, shrink="never")
    made = LowerInductor().run(module, Context())
    if fault is None:
        return made
    return replace(made, reference=import_source(source(model, precision), model, shrink="never").reference)


def row(case: Case, evaluator: LocalEvaluator) -> dict[str, Any]:
    """Lower and judge it."""
    start = time.perf_counter()
    try:
        module = lowered(case.model, case.precision, case.fault)
    except KernelwrightError as error:
        return {"right": False, "status": "not lowered", "detail": str(error)[:500]}
    verdict = evaluator.evaluate(module, RUNGS)
    return {
        "right": verdict.ok if case.fault is None else verdict.status is Status.MISMATCH,
        "status": str(verdict.status),
        "detail": verdict.detail[:500],
        "kernels": len(module.kernels),
        "errors": dict(verdict.errors),
        "notes": verdict.caliber.get("notes", []),
        "draws": verdict.caliber.get("draws", {}).get("made", []),
        "seconds": round(time.perf_counter() - start, 1),
    }


def write(out: Path, rows: dict[str, dict[str, Any]], seeds: int) -> None:
    """Replace the file."""
    whole = {name: one for name, one in rows.items() if not one["fault"]}
    planted = {name: one for name, one in rows.items() if one["fault"]}
    content = {
        "command": shlex.join(["python", *sys.argv]),
        "caliber": machine() | {"rungs": list(map(str, RUNGS)), "seeds": seeds},
        "summary": {
            "models": len({one["model"] for one in whole.values()}),
            "verified": sum(one["right"] for one in whole.values()),
            "programs": len(whole),
            "refused": sum(one["right"] for one in planted.values()),
            "planted": len(planted),
            "wrong": [name for name, one in rows.items() if not one["right"]],
        },
        "rows": rows,
    }
    write_result(out, content)


def main() -> int:
    """Run it; 0 if every program is verified and every fault refused, else 1."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, default=Path("benchmarks/results/half_precision.json"))
    parser.add_argument("--models", nargs="*", default=ARCHITECTURES, choices=ARCHITECTURES)
    parser.add_argument("--precisions", nargs="*", default=PRECISIONS, choices=PRECISIONS)
    parser.add_argument("--seeds", type=int, default=2, help="draws of inputs as given")
    arguments = parser.parse_args()
    out: Path = arguments.out
    rows: dict[str, dict[str, Any]] = json.loads(out.read_text("utf-8"))["rows"] if out.is_file() else {}
    with LocalEvaluator(seeds=arguments.seeds, seed=0, timeout_s=300, use_gpu=False) as evaluator:
        for case in cases(tuple(arguments.models), tuple(arguments.precisions)):
            if case.name in rows:
                continue
            about = {"model": case.model, "precision": case.precision, "fault": case.fault.name if case.fault else ""}
            rows[case.name] = about | row(case, evaluator)
            write(out, rows, arguments.seeds)
            found = rows[case.name]
            print("right" if found["right"] else "WRONG", case.name, found["status"], found["detail"], flush=True)
    return 0 if rows and all(one["right"] for one in rows.values()) else 1


if __name__ == "__main__":
    sys.exit(main())
