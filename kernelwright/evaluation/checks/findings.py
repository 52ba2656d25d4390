"""What a comparison found, and how it is told."""

from dataclasses import dataclass

import numpy as np

from kernelwright.evaluation.checks.expected import Expected
from kernelwright.evaluation.checks.sides import Elements
from kernelwright.evaluation.protocol.wire import SKETCHED


@dataclass(frozen=True)
class Findings:
    """What a comparison found: `mismatch` is "" where the outputs are right, else a sentence."""

    mismatch: str = ""
    rms: float = 0.0
    max: float = 0.0

    def worst(self, other: "Findings") -> "Findings":
        """Both findings in one: the first mismatch, the larger errors."""
        rms, peak = _larger(self.rms, other.rms), _larger(self.max, other.max)
        return Findings(self.mismatch or other.mismatch, rms, peak)


def sentence(want: Expected, place: int, have: Elements, right: Elements, note: str) -> str:
    block = SKETCHED if want.eager.sketched else 1
    index = [int(i) for i in np.unravel_index(place * block, want.eager.shape)]
    if block > 1:
        told = f"signed sum of the {block} elements from {index} on: expected {right[place]:.8g}, got {have[place]:.8g}"
        return f"output {want.name}, {told} ({note})"
    return f"output {want.name}{index}: expected {right[place]:.8g}, got {have[place]:.8g} ({note})"


def _larger(first: float, second: float) -> float:
    return second if second > first or second != second else first
