"""Lower fourteen small architectures in every precision, verify them whole and kernel by kernel, and plant faults.

    python -m benchmarks.judge.half_precision --jobs 16 --out benchmarks/results/judge/half_precision_cpu.json

A row is one architecture in one precision, or one of those with a planted fault, which is judged against the right
program. Programs in 16 bits are judged as `kernelwright compile` judges them: first the whole model, then its kernels
one by one. Every row of a fault says which of the two found it. Rows are kept as they are found; the same command
goes on from there, and begins again for other code.
"""

import argparse
import sys
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache, partial
from pathlib import Path
from typing import Any

from benchmarks.caliber import add_commit, caliber_of
from benchmarks.judge.architectures import ARCHITECTURES, FAULTS, PRECISIONS, Fault, source
from benchmarks.judge.kernel_faults import KERNEL_FAULTS, KernelFault
from benchmarks.row_lines import code_digest, command_line, write_result
from benchmarks.several_processes import Processes, TimeIsOverError, answer_in, journal_for
from kernelwright.agent.evaluator import Rung, Status
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


@cache
def _evaluator(seeds: int) -> LocalEvaluator:
    """This process's own."""
    return LocalEvaluator(seeds=seeds, seed=0, timeout_s=300, use_gpu=False)


def answer(case: Case, seeds: int) -> dict[str, Any]:
    """A row, with what it is about."""
    about = {"model": case.model, "precision": case.precision, "fault": case.fault.name if case.fault else ""}
    made = about | row(case, _evaluator(seeds))
    said = "right" if made["right"] else "WRONG"
    print(said, case.name, made["status"], made.get("found_by", ""), made["detail"], flush=True)
    return made


def row(case: Case, evaluator: LocalEvaluator) -> dict[str, Any]:
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


def write(out: Path, rows: dict[str, dict[str, Any]], caliber: Mapping[str, Any]) -> None:
    """Replace the file."""
    whole = {name: one for name, one in rows.items() if not one["fault"]}
    planted = {name: one for name, one in rows.items() if one["fault"]}
    content = {
        "command": command_line(),
        "caliber": caliber,
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
    parser.add_argument("--out", type=Path, default=Path("benchmarks/results/judge/half_precision.json"))
    parser.add_argument("--models", nargs="*", default=ARCHITECTURES, choices=ARCHITECTURES)
    parser.add_argument("--precisions", nargs="*", default=PRECISIONS, choices=PRECISIONS)
    parser.add_argument("--seeds", type=int, default=2, help="draws of inputs as given")
    parser.add_argument("--jobs", type=int, default=2, help="processes")
    add_commit(parser)
    parser.add_argument("--seconds", type=float, default=1e6, help="after which the command ends; the same goes on")
    parser.add_argument("--journal", type=Path, default=Path("runs/half_precision.jsonl"), help="answers so far")
    arguments = parser.parse_args()
    code = code_digest("ir", "frontend", "midend", "backend", "kernelwright")
    caliber = machine() | {"rungs": list(map(str, RUNGS)), "seeds": arguments.seeds, "code": code}
    found = list(cases(tuple(arguments.models), tuple(arguments.precisions)))
    tasks = {case.name: partial(answer, case, arguments.seeds) for case in sorted(found, key=_first)}
    with journal_for(arguments.journal, caliber) as journal, Processes(arguments.jobs, arguments.seconds) as processes:
        try:
            processes.answers_kept(journal, tasks)
        except TimeIsOverError:
            print(f"time is over: {len(journal.results)} rows are kept; the same command goes on", file=sys.stderr)
            return 3
    rows = {case.name: answer_in(journal, case.name) for case in found}
    write(arguments.out, rows, caliber_of(arguments.commit, **caliber))
    return 0 if rows and all(one["right"] for one in rows.values()) else 1


def _first(case: Case) -> bool:
    """What takes longest begins first: all kernels are judged alone."""
    return not (isinstance(case.fault, KernelFault) and case.fault.written_out)


if __name__ == "__main__":
    sys.exit(main())
