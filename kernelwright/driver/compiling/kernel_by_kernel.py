"""Judging the kernels of a lowered program one by one, each against the aten operations that it stands for.

A whole model's own error hides small faults: eager's error in 16 bits is larger than that of a wrong eps in a norm. A
kernel that is judged alone is compared with its own aten operations in fp64. Its inputs are like its inputs in the
program, and other draws raise the terms that are small in the program.
"""

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from kernelwright.agent.evaluator import Evaluator, Rung, Verdict
from kernelwright.frontend.inductor.pieces import Piece, Pieces, take_apart
from kernelwright.frontend.lower_inductor import LowerInductor
from kernelwright.ir.passes import Context
from kernelwright.ir.values import KernelModule

#: Who found a fault, as reports say it: all kernels together; `Piece.name` says it of some kernels.
WHOLE = "whole model"


@dataclass(frozen=True)
class KernelVerdicts:
    """The verdict on each kernel by symbol, and the reasons why other kernels could not be judged alone.

    `wrong`: the kernels that are wrong, in words, and the verdict on them; None if no kernel is wrong. `why_not`: why
    no kernel was judged, "" if some were.
    """

    found: Mapping[str, Verdict] = field(default_factory=dict)
    left_out: Mapping[str, str] = field(default_factory=dict)
    wrong: tuple[str, Verdict] | None = None
    seconds: float = 0.0
    why_not: str = ""

    @property
    def told(self) -> str:
        """How many kernels were judged, in words."""
        count = len(self.found) + len(self.left_out)
        return self.why_not or f"{len(self.found)} of {count} kernels judged alone, {self.seconds:.0f} s"

    def report(self) -> dict[str, Any]:
        """The same as JSON values."""
        judged = {symbol: str(verdict) for symbol, verdict in self.found.items()}
        left_out, seconds = dict(self.left_out), round(self.seconds, 3)
        return {"told": self.told, "judged": judged, "left_out": left_out, "seconds": seconds}


def in_16_bits(module: KernelModule) -> bool:
    """Whether anything that a program with kernels computes has 16 bits, as under autocast."""
    texts = [kernel.source for kernel in module.kernels] + ([module.launcher.source] if module.launcher else [])
    narrow = any(spec.dtype in ("f16", "bf16") for spec in (*module.reference.tensors, *module.reference.outputs))
    return narrow or any("float16" in text for text in texts)


def pieces_of(module: KernelModule, lowering: LowerInductor | None = None, ctx: Context | None = None) -> Pieces:
    """The pieces of the program that `lower-inductor` makes of a module's reference. Raises LoweringError
    as the pass does."""
    plain = replace(module, kernels=(), launcher=None, constants=())
    return take_apart((lowering or LowerInductor()).builder(plain, ctx or Context()))


def judge_kernels(
    module: KernelModule,
    pieces: Pieces,
    evaluator: Evaluator,
    rungs: tuple[Rung, ...],
    say: Callable[[str], None] = lambda _: None,
) -> KernelVerdicts:
    """Judge each kernel of a module whose kernels are those of the lowered module, changed or not.

    A wrong kernel is left out if the lowered kernel is wrong alone, too. Such a kernel does more than its part of the
    graph says: for example, it writes to an input. `say` gets a line for each piece.
    """
    start, found, left_out, wrong = time.perf_counter(), dict[str, Verdict](), dict(pieces.left_out), None
    for place, piece in enumerate(pieces.found, 1):
        mine = piece.of(module)
        if mine is None:
            left_out |= dict.fromkeys(piece.symbols, "the program does not launch it as the lowered program does")
            continue
        say(f"{piece.name} alone ({place} of {len(pieces.found)})")
        verdict = evaluator.evaluate(mine, rungs)
        if not verdict.ok and not _right(piece, mine, verdict, evaluator, rungs).ok:
            told = f"the lowered {piece.name} is wrong if judged alone: {verdict.detail}"[:500]
            left_out |= dict.fromkeys(piece.symbols, told)
            continue
        if not verdict.ok:
            verdict = replace(verdict, detail=f"{piece.name} alone: {verdict.detail}")
            wrong = wrong or (piece.name, verdict)
        found |= dict.fromkeys(piece.symbols, verdict)
    return KernelVerdicts(found, left_out, wrong, time.perf_counter() - start)


def _right(
    piece: Piece, mine: KernelModule, verdict: Verdict, evaluator: Evaluator, rungs: tuple[Rung, ...]
) -> Verdict:
    """The verdict on the kernel as it was lowered."""
    return verdict if mine.kernels == piece.module.kernels else evaluator.evaluate(piece.module, rungs)


def told_apart(whole: Verdict, alone: KernelVerdicts) -> Verdict:
    """One verdict of the two: the whole program's, or the first wrong kernel's if the whole program is ok.

    The caliber says how many `kernels` were judged. If there is a fault, `found_by` in it says which of the two found
    it: `WHOLE`, or the kernel's name.
    """
    told = {**whole.caliber, "kernels": alone.told}
    if not whole.ok or alone.wrong is None:
        return replace(whole, caliber=told if whole.ok else {**told, "found_by": WHOLE})
    name, wrong = alone.wrong
    detail = f"{wrong.detail}; the program as a whole is within the limits that eager's own error sets"
    return replace(wrong, detail=detail, caliber={**told, "found_by": name})
