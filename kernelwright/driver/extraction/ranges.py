"""A replacement at other sizes than those that it was made at, where sizes may change from call to call.

The kernel's text must be the same at all of them: its sizes are arguments of the launch. It is verified at several
sizes around the first one, and runs for those between them.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from kernelwright.backend.launch.binding import LaunchError
from kernelwright.backend.store.entry import Entry
from kernelwright.driver.extraction.filling import begun
from kernelwright.frontend.swap.graphs import RecordedGraph
from kernelwright.frontend.swap.recorded import Recorded
from kernelwright.frontend.swap.replacement import replacement
from kernelwright.frontend.swap.running import holds
from kernelwright.ir.errors import KernelwrightError
from kernelwright.ir.values import KernelModule


@dataclass(frozen=True)
class Elsewhere:
    """The problem of a kernel at other sizes: the numbers of its run-time parameters, Inductor's kernel for it, and
    ours, None where the text of ours is another one there."""

    numbers: Mapping[str, int]
    own: KernelModule
    ours: KernelModule | None


def elsewhere(
    entry: Entry, module: KernelModule, kernel: Recorded, graph: RecordedGraph, target: str
) -> Iterator[Elsewhere]:
    """A replacement and its module at sizes around those that it was made at."""
    for other in kernel.elsewhere():
        try:
            own = begun(other, graph, target)
        except KernelwrightError:
            continue
        yield Elsewhere(other.numbers, own, _ours(entry, module, other, own))


def _ours(entry: Entry, module: KernelModule, kernel: Recorded, own: KernelModule) -> KernelModule | None:
    """Our kernel at other sizes, launched as Inductor's is there; None where what would run is another text, or
    where Inductor's has no plain form."""
    if own.launcher is None:
        return None
    ours = replace(own, kernels=module.kernels, target=module.target)
    try:
        made = replacement(kernel, ours)
    except (KernelwrightError, LaunchError, NameError):  # it has another name than Inductor's, or other arguments
        return None
    same = _unsigned(made.text, ours) == _unsigned(entry.replacement, module) and made.form == entry.form
    return ours if same else None


def _unsigned(text: str, module: KernelModule) -> str:
    """A replacement without the digest of its module."""
    return text.replace(module.digest, "")


def widened(entry: Entry, right: Sequence[Mapping[str, int]], other: Sequence[Mapping[str, int]]) -> Entry:
    """The entry for its sizes and for all of `right`, at which it was verified, but for those between which lies one of
    `other`, at which it was not. The sizes that it was made at stay, and of others the nearest ones come first."""
    known = _known(entry)
    found = replace(entry, sizes=tuple((name, some[:1]) for name, some in entry.sizes))
    for numbers in sorted((*known[1:], *right), key=lambda one: _apart(known[0], one)):
        sizes = tuple((name, (*some, numbers[name])) for name, some in found.sizes)
        wider = replace(found, sizes=sizes)
        if not any(holds(wider, one) for one in other):
            found = wider
    return found


def _apart(first: Mapping[str, int], other: Mapping[str, int]) -> float:
    """How far sizes lie from others: the sum of the logarithms of their ratios."""
    return sum(abs(math.log(max(other[name], 1) / max(size, 1))) for name, size in first.items())


def without(entry: Entry, numbers: Mapping[str, int]) -> Entry | None:
    """The entry for its sizes but for these; None where it was made at these, or no size may change."""
    known = _known(entry)
    return None if not known or known[0] == numbers else widened(entry, (), [numbers])


def _known(entry: Entry) -> list[dict[str, int]]:
    """The sizes that an entry is for, those that it was made at first."""
    names = [name for name, _ in entry.sizes]
    return [dict(zip(names, one, strict=True)) for one in zip(*(some for _, some in entry.sizes), strict=True)]
