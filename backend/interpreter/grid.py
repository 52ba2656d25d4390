"""Run all programs of a grid, many at once wherever that gives what one after another gives.

A batch that meets a difficulty is taken back and run otherwise: programs that diverge as several batches, too many
elements as smaller ones, and everything else (a fault, programs that touch each other's elements) one after another,
so that a fault is always that of the first failing program.
"""

import functools
import math
from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from kernelwright.backend.interpreter.batched import BatchedBuilder
from kernelwright.backend.interpreter.batched_journal import Journal
from kernelwright.backend.interpreter.batched_signals import BatchSignal, Divergence, TooLarge, Unfollowed
from kernelwright.backend.interpreter.memory import AddressSpace
from kernelwright.backend.interpreter.waiting import Turns
from kernelwright.backend.launch.binding import Grid

#: Programs tried at once at first.
MOST_PROGRAMS = 4096
#: How often conditions may divide one batch, and how many programs a part must have on average.
MOST_DIVISIONS, FEWEST_TOGETHER = 32, 4
#: Batches of one launch that may fail before the rest runs one program after another.
MOST_SETBACKS = 2
#: Of eight orders of programs the one in which atomics let others go on: every second time all of them in turn.
_PAUSING = 5

#: Runs the kernel for the programs that memory and builder hold.
Body = Callable[[], object]


def run_grid(body: Body, grid: Grid, builder: BatchedBuilder) -> None:
    """Run every program; the first grid axis is the fastest. Raises what the kernel raises."""
    memory = builder.memory
    assert memory is not None
    builder.set_grid_dim(*grid)
    total = math.prod(grid)
    journal = None if total >= 1 << 31 or memory.tangled else Journal()
    first, size, setbacks = 0, MOST_PROGRAMS, 0
    while first < total:
        last = min(first + size, total)
        done = False
        if last - first > 1 and journal is not None and setbacks < MOST_SETBACKS:
            try:
                _run_batch(body, memory, journal, first, last)
                done = True
            except TooLarge as limit:
                size = min(limit.programs, last - first - 1)
                continue
            except Unfollowed as reads:
                journal.follow(reads.storage)
                continue
            except Exception:  # noqa: BLE001 (a fault, or a batch refused: the programs one by one tell)
                setbacks += 1
        if not done:
            _run_singly(body, memory, first, last)
        first = last


def _run_singly(body: Body, memory: AddressSpace, first: int, last: int) -> None:
    if memory.races is not None:
        memory.races.begin(together=False)

    def begin(number: int) -> None:
        memory.barrier()
        memory.programs = np.array([number], np.int32)

    order, pausing = _order(first, last, memory.turned), memory.turned % 8 == _PAUSING
    if memory.watch is None and not pausing:
        for number in order:
            begin(number)
            body()
        return
    turns = Turns(body, begin, memory.saved, memory.restored)
    if memory.watch is not None:
        memory.watch.wait = turns.wait
    memory.pause = functools.partial(turns.pause, memory.turned % 16 != _PAUSING) if pausing else None
    try:
        turns.run(order)
    finally:
        memory.pause = None
        if memory.watch is not None:
            memory.watch.wait = None


def _order(first: int, last: int, turned: int) -> Sequence[int]:
    """In which order programs run one by one: turned, the last first, or every other time mixed."""
    if turned % 4 == 3:
        mixed: list[int] = np.random.default_rng(turned).permutation(np.arange(first, last)).tolist()
        return mixed
    return range(last - 1, first - 1, -1) if turned else range(first, last)


def _run_batch(body: Body, memory: AddressSpace, journal: Journal, first: int, last: int) -> None:
    """Run these programs; leaves memory as it was where it raises."""
    journal.begin(first, last)
    if memory.races is not None:
        memory.races.begin(together=True)
    memory.journal = journal
    waiting = [np.arange(first, last, dtype=np.int32)]
    divisions, parts = 0, 1
    try:
        while waiting:
            memory.programs = waiting.pop()
            mark = journal.mark(), memory.races.mark() if memory.races is not None else 0
            try:
                body()
            except Divergence as divergence:
                _undo(memory, journal, *mark)
                divided = _divided(memory.programs, divergence.values)
                divisions, parts = divisions + 1, parts + len(divided) - 1
                if divisions > MOST_DIVISIONS or parts > max(FEWEST_TOGETHER, (last - first) // FEWEST_TOGETHER):
                    raise BatchSignal from None
                waiting.extend(divided)
    except BaseException:
        _undo(memory, journal)
        raise
    finally:
        memory.journal = None


def _undo(memory: AddressSpace, journal: Journal, mark: int = 0, noted: int = 0) -> None:
    """Take back what a batch has done since the marks."""
    journal.undo(mark)
    if memory.races is not None:
        memory.races.undo(noted)


def _divided(programs: NDArray[np.int32], values: NDArray[np.generic]) -> list[NDArray[np.int32]]:
    """The programs by the value that they disagree on."""
    kinds, which = np.unique(values, return_inverse=True)
    return [programs[which == kind] for kind in range(len(kinds))]
