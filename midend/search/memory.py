"""What searches of other programs found, for a search to begin with: winners and losers, by what programs are like.

Programs are alike as the kernel IR sees them: the operations of their kernels and of libraries, and their sizes. What
is remembered is a pipeline's text and never a verdict, so a file may come from another machine: whatever it says is
made, measured and verified like any other candidate.
"""

import json
import math
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from kernelwright.ir.kernel.text.parsing import kernel_functions
from kernelwright.ir.values import KernelModule
from kernelwright.ir.verifier import extern_ops, launched

#: Pipelines that a search begins with, at most, and how unlike the programs may be on which they won.
TOLD, MOST_UNLIKE = 6, 0.7
#: As how many operations of kernels one of a library counts: its time is often most of the program's, and templates
#: take its place.
LIBRARY = 20
#: How unlike a program is of twice the size: as much as one in so many operations.
PER_DOUBLING = 0.05
#: What a winner must have been faster by than the plain lowering, and a loser slower than the winner.
WON, LOST = 1.05, 2.0
#: Losers of one search that are kept.
KEPT = 24


@dataclass(frozen=True)
class Likeness:
    """What programs are compared by: how often each operation occurs, and binary logarithms of the elements of inputs,
    state and outputs."""

    operations: Mapping[str, int]
    sizes: tuple[float, ...]

    @classmethod
    def of(cls, plain: KernelModule) -> "Likeness":
        """Of a program as its plain lowering is."""
        functions = kernel_functions(plain)
        counted = Counter(extern_ops(plain))
        for symbol in launched(plain):
            counted.update(one.kind for one in functions[symbol].walk())
        specs = (*plain.reference.tensors, *plain.reference.outputs)
        return cls(dict(sorted(counted.items())), tuple(round(math.log2(max(spec.numel, 1)), 2) for spec in specs))

    def unlike(self, other: "Likeness") -> float:
        """From 0, for the same operations on the same sizes, up."""
        kinds = {*self.operations, *other.operations}
        here, there = ([_weight(kind) * one.operations.get(kind, 0) for kind in kinds] for one in (self, other))
        apart = sum(abs(a - b) for a, b in zip(here, there, strict=True)) / max(sum(map(max, here, there)), 1)
        if len(self.sizes) != len(other.sizes):
            return apart + PER_DOUBLING * abs(max(self.sizes, default=0.0) - max(other.sizes, default=0.0))
        doublings = [abs(a - b) for a, b in zip(self.sizes, other.sizes, strict=True)]
        return apart + PER_DOUBLING * sum(doublings) / max(len(doublings), 1)


def _weight(kind: str) -> int:
    """A library's operations have dotted names, such as `aten.mm.out`."""
    return LIBRARY if "." in kind else 1


@dataclass(frozen=True)
class Found:
    """What one search found: the winner's pipeline, the plain lowering's time over the winner's, and pipelines that
    were much slower than the winner. `program` is the reference's digest."""

    program: str
    target: str
    likeness: Likeness
    winner: str
    gain: float
    losers: tuple[str, ...] = ()


@dataclass
class PastWinners:
    """What was found, in a file of JSON lines; in memory alone where there is none. A line that does not read is not
    there, and a file that cannot be written keeps nothing."""

    path: Path | None = None
    found: list[Found] = field(default_factory=list)

    def __post_init__(self) -> None:
        try:
            lines = self.path.read_text("utf-8").splitlines() if self.path else []
        except (OSError, UnicodeDecodeError):
            lines = []
        self.found += [one for line in lines if (one := _read(line)) is not None]

    def winners(self, likeness: Likeness, target: str, but: Iterable[str] = ()) -> tuple[str, ...]:
        """Pipelines that won on the programs most like this one, the likest first; `but` names programs by the digests
        of their references that do not count."""
        ranked = self._like(likeness, target, but)
        won = [one.winner for distance, one in ranked if one.gain >= WON and distance <= MOST_UNLIKE]
        return tuple(dict.fromkeys(won))[:TOLD]

    def all_winners(self, target: str, but: Iterable[str] = ()) -> tuple[str, ...]:
        """The pipelines that won, one for each program."""
        return tuple(one.winner for one in self._latest(target, but) if one.gain >= WON)

    def losers(self, likeness: Likeness, target: str, but: Iterable[str] = ()) -> frozenset[str]:
        """Pipelines that lost on the two programs that are most like this one, and won on neither."""
        ranked = [one for distance, one in self._like(likeness, target, but) if distance <= MOST_UNLIKE][:2]
        lost = [set(one.losers) for one in ranked]
        return frozenset(set.intersection(*lost) if len(lost) == 2 else ())

    def add(self, found: Found) -> None:
        """Remember what a search found; what an earlier one found on the same program counts no longer."""
        self.found = [one for one in self.found if (one.program, one.target) != (found.program, found.target)]
        self.found.append(found)
        if self.path is None:
            return
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            with self.path.open("a", encoding="utf-8") as file:
                # First the newline: it ends a line that a killed run did not.
                file.write("\n" + json.dumps(_written(found)))
        except OSError:
            self.path = None

    def _like(self, likeness: Likeness, target: str, but: Iterable[str]) -> Sequence[tuple[float, Found]]:
        return sorted(
            ((likeness.unlike(one.likeness), one) for one in self._latest(target, but)), key=lambda pair: pair[0]
        )

    def _latest(self, target: str, but: Iterable[str]) -> Collection[Found]:
        left_out = set(but)
        return {one.program: one for one in self.found if one.target == target and one.program not in left_out}.values()


def _written(found: Found) -> dict[str, Any]:
    return {**vars(found), "likeness": vars(found.likeness), "losers": list(found.losers)}


def _read(line: str) -> Found | None:
    try:
        return found_of(json.loads(line))
    except ValueError:
        return None


def found_of(row: Any) -> Found | None:
    """What was found, from JSON values; None where they say nothing of the kind."""
    try:
        operations = {str(kind): int(count) for kind, count in row["likeness"]["operations"].items()}
        likeness = Likeness(operations, tuple(map(float, row["likeness"]["sizes"])))
        told = (str(row["program"]), str(row["target"]), likeness, str(row["winner"]), float(row["gain"]))
        return Found(*told, tuple(map(str, row["losers"])))
    except (ValueError, KeyError, TypeError, AttributeError):
        return None
