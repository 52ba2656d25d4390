"""What a context carries for searches."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from kernelwright.ir.values import KernelModule

if TYPE_CHECKING:
    from kernelwright.midend.search.memory import PastWinners

#: Takes the plain lowering and the target's name; gives pipelines, from the reference on, to begin with.
Source = Callable[[KernelModule, str], Sequence[str]]


@dataclass(frozen=True)
class SearchServices:
    """Where searches keep what they find out, and what their verdicts depend on.

    `journals` is the folder; None for one in the cache. `judging` are settings of the evaluator: what was found under
    other settings is not used. `memory` is what searches of other programs found; None for the one in the cache.
    `sources` give pipelines to begin with, such as those that a mid-end agent writes; like all candidates these are
    measured and verified. It tells nothing of the programs that `forgets` names, by the digests of their modules
    without kernels, so that a benchmark can leave the program itself out.
    """

    journals: Path | None = None
    judging: Mapping[str, Any] = field(default_factory=lambda: MappingProxyType({}))
    memory: "PastWinners | None" = None
    sources: tuple[Source, ...] = ()
    forgets: frozenset[str] = frozenset()
