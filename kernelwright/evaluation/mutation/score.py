"""What becomes of a module's mutants before an evaluator, and the share of them that it kills.

A mutant that computes what the module computes must not count as a survivor. What was found out about each is its
`Fate`, and proof is told apart from observation.
"""

import math
from collections import Counter
from dataclasses import dataclass
from enum import StrEnum

from kernelwright.agent.evaluator import Evaluator, Rung, Status
from kernelwright.evaluation.mutation.equivalence import Original
from kernelwright.evaluation.mutation.mutants import Mutant, mutants
from kernelwright.ir.errors import UserError
from kernelwright.ir.values import KernelModule

#: Verdicts that say nothing about the checks: the mutant does not compile, or uses what is not supported.
INVALID = (Status.COMPILE_ERROR, Status.UNPARSED, Status.UNSUPPORTED)


class Fate(StrEnum):
    """What became of a mutant. `equivalent` is proven. Of many draws, none told a `probably_equivalent` one from the
    original, and on none did a `within_rounding` one differ by more than what is never held against a candidate
    (`correctness.FLOORS`). `invalid` ones do not compile, or use what the evaluator does not support."""

    KILLED = "killed"
    SURVIVED = "survived"
    EQUIVALENT = "equivalent"
    PROBABLY_EQUIVALENT = "probably_equivalent"
    WITHIN_ROUNDING = "within_rounding"
    INVALID = "invalid"


@dataclass(frozen=True)
class Finding:
    """One mutant's fate. `detail` is the verdict for a killed one and the evidence for others: for a survivor, the
    kinds of draws that reveal it."""

    kind: str
    kernel: str
    line: int
    description: str
    fate: Fate
    detail: str


@dataclass(frozen=True)
class MutationReport:
    """What an evaluator's checks are worth on one module, mutant by mutant."""

    findings: tuple[Finding, ...]

    def of(self, fate: Fate) -> tuple[Finding, ...]:
        """The findings of one fate."""
        return tuple(finding for finding in self.findings if finding.fate is fate)

    @property
    def killed(self) -> int:
        """How many mutants were killed."""
        return len(self.of(Fate.KILLED))

    @property
    def survived(self) -> tuple[Finding, ...]:
        """Mutants that passed although some draw reveals them."""
        return self.of(Fate.SURVIVED)

    @property
    def score(self) -> float:
        """Killed among killed and survived; NaN without any."""
        return _share(self.killed, len(self.survived))

    @property
    def strict_score(self) -> float:
        """The same with those probably equivalent or within rounding counted as survivors too: a lower bound."""
        unproven = self.survived + self.of(Fate.PROBABLY_EQUIVALENT) + self.of(Fate.WITHIN_ROUNDING)
        return _share(self.killed, len(unproven))

    def by_kind(self) -> dict[str, dict[str, int]]:
        """Kind of change -> fate -> count."""
        counts: dict[str, Counter[str]] = {}
        for finding in self.findings:
            counts.setdefault(finding.kind, Counter())[str(finding.fate)] += 1
        return {kind: dict(count) for kind, count in sorted(counts.items())}


def _share(killed: int, passed: int) -> float:
    return killed / (killed + passed) if killed + passed else math.nan


class Examiner:
    """Finds each mutant's fate, with what it takes for that kept between mutants of one module.

    Raises UserError where the module itself does not pass. Not for use from several threads.
    """

    def __init__(self, module: KernelModule, evaluator: Evaluator, rungs: tuple[Rung, ...] | None = None) -> None:
        self.original, self.evaluator, self.rungs = Original(module), evaluator, rungs
        verdict = evaluator.evaluate(module, rungs)
        if not verdict.ok:
            raise UserError(f"@{module.name} is not accepted itself, so its mutants prove nothing: {verdict}")

    def judge(self, mutant: Mutant) -> Finding:
        """One mutant's fate."""
        verdict = self.evaluator.evaluate(mutant.module, self.rungs)
        if verdict.ok:
            fate, detail = self._passed(mutant)
        else:
            fate, detail = Fate.INVALID if verdict.status in INVALID else Fate.KILLED, str(verdict)[:300]
        return Finding(mutant.kind, mutant.kernel, mutant.line, mutant.description, fate, detail)

    def _passed(self, mutant: Mutant) -> tuple[Fate, str]:
        """Equivalent or survivor: first proofs, then draws."""
        if proof := self.original.proof(mutant):
            return Fate.EQUIVALENT, proof
        differences = self.original.differences(mutant)
        if not differences:
            return Fate.SURVIVED, "the module itself runs on no draw here, so that nothing speaks for the mutant"
        among = f"{self.original.draws} draws of {len(differences)} kinds"
        worst = max(differences.values())
        if worst == 0:
            return Fate.PROBABLY_EQUIVALENT, f"same outputs on {among}"
        if worst <= 1:
            return Fate.WITHIN_ROUNDING, f"on {among} at most {worst:.2g} of the floor apart"
        revealing = sorted((-amount, name) for name, amount in differences.items() if amount > 1)
        return Fate.SURVIVED, "revealed by " + "; ".join(f"{name} ({-amount:.2g})" for amount, name in revealing)


def mutation_score(
    module: KernelModule,
    evaluator: Evaluator,
    limit: int | None = None,
    rungs: tuple[Rung, ...] | None = None,
    seed: int = 0,
) -> MutationReport:
    """Judge a module's mutants (a sample of `limit`). Raises UserError where the module itself does not pass."""
    examiner = Examiner(module, evaluator, rungs)
    return MutationReport(tuple(examiner.judge(mutant) for mutant in mutants(module, limit, seed)))
