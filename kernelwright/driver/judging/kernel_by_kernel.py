"""Judging the kernels of a lowered program one by one, each against the aten operations that it stands for.

A whole model's own error hides small faults: eager's error in 16 bits is larger than that of a wrong eps in a norm. A
kernel that is judged alone is compared with its own aten operations in fp64. Its inputs are like its inputs in the
program, and other draws raise the terms that are small in the program.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace

from kernelwright.agent.evaluator import Evaluator, Rung, Verdict
from kernelwright.frontend.inductor.pieces import Piece, Pieces, take_apart
from kernelwright.frontend.lower_inductor import LowerInductor
from kernelwright.ir.passes import Context
from kernelwright.ir.values import KernelModule


@dataclass(frozen=True)
class KernelVerdicts:
    """The verdict on each kernel by symbol, and the reasons why other kernels could not be judged alone."""

    found: Mapping[str, Verdict]
    left_out: Mapping[str, str]

    @property
    def first_wrong(self) -> Verdict | None:
        """The verdict on the first wrong kernel, None if no kernel is wrong. The verdict's detail names the kernel."""
        return next((verdict for verdict in self.found.values() if not verdict.ok), None)


def pieces_of(module: KernelModule, lowering: LowerInductor | None = None, ctx: Context | None = None) -> Pieces:
    """The pieces of the program that `lower-inductor` makes of a module's reference. Raises LoweringError
    as the pass does."""
    plain = replace(module, kernels=(), launcher=None, constants=())
    return take_apart((lowering or LowerInductor()).builder(plain, ctx or Context()))


def judge_kernels(
    module: KernelModule, pieces: Pieces, evaluator: Evaluator, rungs: tuple[Rung, ...]
) -> KernelVerdicts:
    """Judge each kernel of a module whose kernels are those of the lowered module, changed or not.

    A wrong kernel is left out if the lowered kernel is wrong alone, too. Such a kernel does more than its part of the
    graph says: for example, it writes to an input.
    """
    found, left_out = {}, dict(pieces.left_out)
    for piece in pieces.found:
        mine = piece.of(module)
        if mine is None:
            left_out[piece.symbol] = f"@{piece.symbol} is not a kernel of this program"
            continue
        verdict = evaluator.evaluate(mine, rungs)
        if not verdict.ok and not _right(piece, mine, verdict, evaluator, rungs).ok:
            left_out[piece.symbol] = f"the lowered @{piece.symbol} is wrong if judged alone: {verdict.detail}"[:500]
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
    """One verdict of the two: the whole program's, or the first wrong kernel's if the whole program is ok."""
    wrong = alone.first_wrong
    if not whole.ok or wrong is None:
        judged = f"{len(alone.found)} of {len(alone.found) + len(alone.left_out)} kernels judged alone"
        return replace(whole, caliber={**whole.caliber, "kernels": judged})
    return replace(
        wrong, detail=f"{wrong.detail}; the program as a whole is within the limits that eager's own error sets"
    )
