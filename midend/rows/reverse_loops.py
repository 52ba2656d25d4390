"""`reverse-loops`: a second loop over a row begins where the first one ended, with what the caches still hold."""

from dataclasses import dataclass
from typing import ClassVar

from kernelwright.ir.kernel.analysis.launches import Launches
from kernelwright.ir.kernel.rewriting import Rewriting
from kernelwright.ir.kernel.sums import Sums
from kernelwright.ir.kernel.values import Function, Operation, Region
from kernelwright.ir.passes import Declined, Keeps, register
from kernelwright.midend.kernel_pass import KernelPass
from kernelwright.midend.rows.row_blocks import RowLoops
from kernelwright.midend.rows.row_positions import RowPositions


@register
@dataclass(frozen=True)
class ReverseLoops(KernelPass):
    """Run every second loop over rows backwards.

    Legal for loops over rows in steps of one block that are no scans, do not ask for their first round and load nothing
    that another round stores; sums are taken in another order. Expected, not measured: for rows too long for registers
    (softmax, norms) the share of the rows under way that L2 holds is not read from memory again.
    """

    name: ClassVar[str] = "reverse-loops"
    needs: ClassVar[str] = "several loops over one row of known length in steps of one block, whose counters only place"
    changes: ClassVar[str] = "every second loop begins with the row's last block"
    keeps: ClassVar[Keeps | None] = Keeps.REASSOCIATED
    asks_launches: ClassVar[bool] = True

    def rewrite(self, function: Function, launches: Launches | None) -> Function | Declined:
        """The kernel with every second loop reversed."""
        rows = RowLoops.of(function, launches)
        if isinstance(rows, Declined):
            return rows
        if len(rows.loops) < 2:
            return Declined("it has only one loop")
        positions, edits = RowPositions.of(rows, launches), Rewriting(function)
        if any(map(positions.runs_backwards, rows.loops)):
            return Declined("a loop runs backwards already")
        reversible = [loop for loop in rows.loops[1::2] if not _hindrance(positions, loop)]
        for loop in reversible:
            _reverse(edits, positions, loop)
        return edits.done() if reversible else Declined(_hindrance(positions, rows.loops[1]))


def _hindrance(positions: RowPositions, loop: Operation) -> str:
    """Why a loop has to take its rounds in order; "" where it need not."""
    if positions.is_ordered(loop):
        return "the second loop depends on which element comes first"
    if positions.asks_for_rounds(loop):
        return "the second loop uses its counter for more than positions in the row"
    return "the second loop may load elements that its other iterations store" if positions.overtakes(loop) else ""


def _reverse(edits: Rewriting, positions: RowPositions, loop: Operation) -> None:
    body = loop.regions[0]
    arguments = tuple(edits.value() for _ in body.arguments)
    sums = Sums(edits, positions.accesses.indices, {positions.rows.function.argument(positions.rows.parameter)})
    last = sums.form(positions.last(positions.rows.length), 0)
    assert last is not None
    operations, given = edits.clone(body, (sums.emit("sub", lhs=last, rhs=arguments[0]), *arguments[1:]))
    results = tuple(edits.value() for _ in loop.results)
    region = Region(arguments, (*sums.made, *operations), given)
    edits.put(loop, loop.having(regions=(region,), results=results))
