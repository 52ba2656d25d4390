"""Judging the kernels of a lowered program one by one, each against what it alone stands for.

A whole model's own error hides small faults: eager's error in 16 bits is larger than what a wrong eps in a norm makes.
Alone, a kernel has fp64 of its own aten operations beside it, on inputs like those that it has in the program, and on
draws that raise terms which are small there.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace

from kernelwright.agent.evaluator import Evaluator, Rung, Verdict
from kernelwright.frontend.inductor.lowering import builder
from kernelwright.frontend.inductor.pieces import Piece, Pieces, take_apart
from kernelwright.frontend.lower_inductor import LowerInductor
from kernelwright.ir.passes import Context
from kernelwright.ir.values import KernelModule


@dataclass(frozen=True)
class KernelVerdicts:
    """By symbol the verdict on each kernel, and why others could not be judged alone."""

    found: Mapping[str, Verdict]
    left_out: Mapping[str, str]

    @property
    def first_wrong(self) -> Verdict | None:
        """The verdict on the first kernel that is wrong, whose detail names it; None where none is."""
        return next((verdict for verdict in self.found.values() if not verdict.ok), None)


def pieces_of(module: KernelModule, lowering: LowerInductor | None = None, ctx: Context | None = None) -> Pieces:
    """What `lower-inductor` makes of a module's reference, taken apart. Raises LoweringError as the pass does."""
    asked, plain = lowering or LowerInductor(), replace(module, kernels=(), launcher=None, constants=())
    made = builder(
        plain,
        ctx or Context(),
        asked.config(),
        asked.device,
        averages_first=asked.reassociate,
        written_out=asked.written_out,
    )
    return take_apart(made)


def judge_kernels(
    module: KernelModule, pieces: Pieces, evaluator: Evaluator, rungs: tuple[Rung, ...]
) -> KernelVerdicts:
    """Judge each kernel of a module that has those of the lowered one, changed or not.

    A kernel is left out if the lowered one is not right alone either: then its part of the graph is not all that it
    does, as where it writes to an input.
    """
    found, left_out = {}, dict(pieces.left_out)
    for piece in pieces.found:
        mine = piece.of(module)
        if mine is None:
            left_out[piece.symbol] = f"@{piece.symbol} is not a kernel of this program"
            continue
        verdict = evaluator.evaluate(mine, rungs)
        if not verdict.ok and not _right(piece, mine, verdict, evaluator, rungs).ok:
            left_out[piece.symbol] = f"@{piece.symbol} as lowered is not right alone: {verdict.detail}"[:500]
            continue
        told = "" if verdict.ok else f"kernel @{piece.symbol} alone: {verdict.detail}"
        found[piece.symbol] = replace(verdict, detail=told)
    return KernelVerdicts(found, left_out)


def _right(
    piece: Piece, mine: KernelModule, verdict: Verdict, evaluator: Evaluator, rungs: tuple[Rung, ...]
) -> Verdict:
    """The verdict on the kernel as it was lowered."""
    return verdict if mine.kernels == piece.module.kernels else evaluator.evaluate(piece.module, rungs)


def told_apart(whole: Verdict, alone: KernelVerdicts) -> Verdict:
    """One verdict that says which of the two it is: the whole program's, or if that is ok, the first wrong kernel's."""
    wrong = alone.first_wrong
    if not whole.ok or wrong is None:
        judged = f"{len(alone.found)} of {len(alone.found) + len(alone.left_out)} kernels judged alone"
        return replace(whole, caliber={**whole.caliber, "kernels": judged})
    return replace(
        wrong, detail=f"{wrong.detail}; the program as a whole is within the limits that eager's own error sets"
    )
