"""Lower fourteen small architectures in every precision, verify them whole and kernel by kernel, and plant faults.

    python benchmarks/half_precision.py --out benchmarks/results/half_precision_cpu.json

A row is one architecture in one precision, or one of those with a planted fault, which is judged against the right
program. Programs in 16 bits are judged as `kernelwright compile` judges them: first the whole model, then its kernels
one by one. Every row of a fault says which of the two found it. The file gets every row as it is found; the same
command goes on from there, and begins again if the code is other code than that of the rows.
"""

import argparse
import json
import shlex
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from architectures import ARCHITECTURES, FAULTS, PRECISIONS, Fault, source
from kernel_faults import KERNEL_FAULTS, KernelFault
from row_lines import code_digest, write_result

from kernelwright.agent.evaluator import Rung, Status, Verdict
from kernelwright.driver.campaigns.campaign import machine
from kernelwright.driver.compiling.kernel_by_kernel import (
    WHOLE,
    KernelVerdicts,
    in_16_bits,
    judge_kernels,
    pieces_of,
    told_apart,
)
from kernelwright.evaluation.judge.local import LocalEvaluator
from kernelwright.frontend.importers import import_source
from kernelwright.frontend.inductor.pieces import Pieces
from kernelwright.frontend.lower_inductor import LowerInductor
from kernelwright.ir.errors import KernelwrightError
from kernelwright.ir.passes import Context
from kernelwright.ir.values import KernelModule

RUNGS = (Rung.PARSE, Rung.INTERPRET)
#: The precisions in which faults are planted in kernels; in fp32 the whole model shows them.
KERNELS_IN = ("bf16",)


@dataclass(frozen=True)
class Case:
    """What a row is about. A fault is in the model's text, or in one kernel of the lowered program."""

    model: str
    precision: str
    fault: Fault | KernelFault | None = None

    @property
    def name(self) -> str:
        """As rows name it."""
        changed = f", {self.fault.name}" if self.fault else ""
        return f"{self.model} in {self.precision}{changed}" + (
            f": {self.fault.wrong}" if isinstance(self.fault, Fault) else ""
        )


def cases(models: tuple[str, ...], precisions: tuple[str, ...]) -> Iterator[Case]:
    """Every model in every precision, and then the faults of each."""
    for model in models:
        for precision in precisions:
            yield Case(model, precision)
            yield from (Case(model, precision, fault) for fault in FAULTS if model in fault.models)
            yield from (Case(model, precision, fault) for fault in KERNEL_FAULTS if precision in KERNELS_IN)


@dataclass(frozen=True)
class Program:
    """A lowered program, which may be wrong, the pieces of the right program, and the kernel that is spoilt."""

    module: KernelModule
    pieces: Pieces
    spoilt: str = ""

    @classmethod
    def of(cls, case: Case) -> "Program":
        """The case's program; a wrong one has the reference of the right one."""
        right = import_source(source(case.model, case.precision), case.model, shrink="never")
        written_out = isinstance(case.fault, KernelFault) and case.fault.written_out
        pieces = pieces_of(right, LowerInductor(written_out=written_out))
        if isinstance(case.fault, KernelFault):
            wrong, spoilt = case.fault.planted(pieces.whole)
            return cls(wrong, pieces, spoilt)
        if case.fault is None:
            return cls(pieces.whole, pieces)
        other = import_source(source(case.model, case.precision, case.fault), case.model, shrink="never")
        return cls(replace(LowerInductor().run(other, Context()), reference=right.reference), pieces)


@dataclass
class Remembering:
    """An evaluator that judges equal modules once: most kernels of a program with one fault are the right program's."""

    evaluator: LocalEvaluator
    known: dict[tuple[str, tuple[Rung, ...] | None], Verdict] = field(default_factory=dict)

    def evaluate(self, module: KernelModule, rungs: tuple[Rung, ...] | None = None) -> Verdict:
        """The verdict on a module."""
        key = (module.digest, rungs)
        if key not in self.known:
            self.known[key] = self.evaluator.evaluate(module, rungs)
        return self.known[key]


def row(case: Case, evaluator: Remembering) -> dict[str, Any]:
    """Lower and judge it."""
    start = time.perf_counter()
    try:
        program = Program.of(case)
    except KernelwrightError as error:
        return {"right": False, "status": "not lowered", "detail": str(error)[:500]}
    whole = evaluator.evaluate(program.module, RUNGS)
    seconds = {"whole": time.perf_counter() - start}
    alone = KernelVerdicts(why_not="the whole model decides")
    if (whole.ok or program.spoilt) and in_16_bits(program.module):
        alone = judge_kernels(program.module, program.pieces, evaluator, RUNGS)
    verdict = told_apart(whole, alone)
    wrong = alone.wrong[0] if alone.wrong else ""
    if program.spoilt:  # its kernel shows the fault, whether the whole model does so or not
        right = f"@{program.spoilt}" in wrong.split()
    else:
        right = verdict.ok if case.fault is None else not whole.ok
    return {
        "right": right and verdict.status is (Status.OK if case.fault is None else Status.MISMATCH),
        "status": str(verdict.status),
        "found_by": verdict.caliber.get("found_by", ""),
        "wrong_alone": wrong,
        "detail": verdict.detail[:500],
        "kernels": len(program.module.kernels),
        "alone": len(alone.found),
        "left_out": dict(alone.left_out),
        "errors": dict(verdict.errors),
        "notes": whole.caliber.get("notes", []),
        "draws": whole.caliber.get("draws", {}).get("made", []),
        "seconds": {name: round(one, 1) for name, one in (seconds | {"alone": alone.seconds}).items()},
    }


def write(out: Path, rows: dict[str, dict[str, Any]], seeds: int, code: str) -> None:
    """Replace the file."""
    whole = {name: one for name, one in rows.items() if not one["fault"]}
    planted = {name: one for name, one in rows.items() if one["fault"]}
    content = {
        "command": shlex.join(["python", *sys.argv]),
        "caliber": machine() | {"rungs": list(map(str, RUNGS)), "seeds": seeds, "code": code},
        "summary": {
            "models": len({one["model"] for one in whole.values()}),
            "verified": sum(one["right"] for one in whole.values()),
            "programs": len(whole),
            "refused": sum(one["right"] for one in planted.values()),
            "planted": len(planted),
            "found_by_whole_model": sum(one.get("found_by") == WHOLE for one in planted.values()),
            "found_by_a_kernel_alone": sum(bool(one.get("wrong_alone")) for one in planted.values()),
            "kernels_alone": sum(one.get("alone", 0) for one in whole.values()),
            "kernels_left_out": sum(len(one.get("left_out", ())) for one in whole.values()),
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
    code = code_digest("ir", "frontend", "midend", "backend", "kernelwright")
    found = json.loads(out.read_text("utf-8")) if out.is_file() else {"caliber": {}}
    rows: dict[str, dict[str, Any]] = found["rows"] if found["caliber"].get("code") == code else {}
    with LocalEvaluator(seeds=arguments.seeds, seed=0, timeout_s=300, use_gpu=False) as judge:
        evaluator = Remembering(judge)
        for case in cases(tuple(arguments.models), tuple(arguments.precisions)):
            if case.name in rows:
                continue
            about = {"model": case.model, "precision": case.precision, "fault": case.fault.name if case.fault else ""}
            rows[case.name] = about | row(case, evaluator)
            write(out, rows, arguments.seeds, code)
            made = rows[case.name]
            right = "right" if made["right"] else "WRONG"
            print(right, case.name, made["status"], made.get("found_by", ""), made["detail"], flush=True)
    return 0 if rows and all(one["right"] for one in rows.values()) else 1


if __name__ == "__main__":
    sys.exit(main())
