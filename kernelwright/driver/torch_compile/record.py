"""A record of every graph that was compiled: which of its kernels were replaced, and why the others were not."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Literal

Runs = Literal["kernelwright", "inductor", "eager"]


@dataclass(frozen=True)
class Swap:
    """One of Inductor's kernels: what runs for it and why. `pick` is what a lock names for it."""

    name: str
    key: str
    runs: Runs
    why: str
    pick: str = ""
    backward: bool = False

    def __str__(self) -> str:
        return f"{self.name}: {self.runs}, {self.why}"


@dataclass(frozen=True)
class Region:
    """One graph that Dynamo handed over: how many nodes it has, what runs it, why, and its kernels so far. Those for
    gradients come when they are compiled."""

    index: int
    nodes: int
    runs: Runs
    why: str
    swaps: tuple[Swap, ...]

    @property
    def replaced(self) -> int:
        """How many kernels are replaced."""
        return sum(swap.runs == "kernelwright" for swap in self.swaps)

    def __str__(self) -> str:
        return f"graph {self.index} ({self.nodes} nodes): {self.runs}, {self.why}"


@dataclass
class Part:
    """An aten graph of a record: its kernels by name and key, and the operations that Inductor's code gets wrong."""

    backward: bool = False
    swaps: dict[tuple[str, str], Swap] = field(default_factory=dict)
    wrong: list[str] = field(default_factory=list)
    eager: bool = False

    def note(self, swap: Swap) -> None:
        """What became of a kernel."""
        self.swaps[swap.name, swap.key] = replace(swap, backward=self.backward)

    def all_swaps(self) -> Iterator[Swap]:
        """Its kernels as they run: none of them does where the part runs in eager mode."""
        for swap in list(self.swaps.values()):
            yield replace(swap, runs="eager", why=self.why_eager, pick="") if self.eager else swap

    @property
    def why_eager(self) -> str:
        """Why it runs in eager mode."""
        return f"Inductor's code gives wrong values for {', '.join(dict.fromkeys(self.wrong))}"


@dataclass(eq=False)
class Record:
    """What is noted of a graph while it is compiled, and later for gradients."""

    nodes: int
    #: Why its kernels are not looked at; "" where they are.
    left_alone: str = ""
    parts: list[Part] = field(default_factory=list)

    def region(self, index: int) -> Region:
        """The record as it is now."""
        parts = list(self.parts)
        swaps = tuple(swap for part in parts for swap in part.all_swaps())
        replaced = sum(swap.runs == "kernelwright" for swap in swaps)
        eager = [part.why_eager for part in parts if part.eager]
        if self.left_alone:
            why = self.left_alone
        elif not swaps:
            why = "it has no Triton kernel"
        else:
            counted = [f"{replaced} of {len(swaps)} kernels replaced"] if replaced or not eager else []
            why = "; ".join([*counted, *dict.fromkeys(eager)])
        runs: Runs = "kernelwright" if replaced else "eager" if eager else "inductor"
        return Region(index, self.nodes, runs, why, swaps)


_records: list[Record] = []


def regions() -> tuple[Region, ...]:
    """Every graph compiled in this process since the last reset, in order."""
    return tuple(record.region(index) for index, record in enumerate(list(_records)))


def exchanged(key: str, why: str, pick: str) -> None:
    """Note that a replacement runs from now on for all kernels of a key."""
    for part in [part for record in list(_records) for part in list(record.parts)]:
        for place, swap in list(part.swaps.items()):
            if swap.key == key:
                part.swaps[place] = replace(swap, runs="kernelwright", why=why, pick=pick)


def reset() -> None:
    """Forget all graphs; `torch.compiler.reset()` does so too. Code that was compiled goes on to run."""
    _records.clear()


@contextmanager
def recorded(nodes: int) -> Iterator[Record]:
    """A new record, around a compile; it is dropped if that raises, as Dynamo has it to begin anew."""
    record = Record(nodes)
    _records.append(record)
    try:
        yield record
    except BaseException:
        if record in _records:
            _records.remove(record)
        raise
