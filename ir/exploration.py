"""What a pass tells search and agents about itself: where in a chain it stands, and the options worth trying."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import IntEnum
from graphlib import CycleError, TopologicalSorter

from kernelwright.ir.errors import UserError


class Phase(IntEnum):
    """Where a pass stands in a chain of passes; a chain goes from lower phases to higher ones."""

    LOWERING = 0  #: makes the first kernels of a program
    TEMPLATE = 1  #: puts a kernel in the place of a library's, for the passes behind it to work on
    REWRITE = 2  #: makes other kernels of kernels, in any order among its phase
    FINISH = 3  #: works on what the others left
    SIMPLIFY = 4  #: hinders no other pass and costs nothing, so it ends each chain, and its gain is never measured
    FIT = 5  #: fits launch options to the target, on the candidates that are left


@dataclass(frozen=True)
class Variant:
    """Options of a pass that are worth trying beside its defaults, as a spec writes them: `form=dot,wide=true`.

    `given` is an option of the lowering: the variant is tried only in a chain whose lowering has it, and there in the
    place of the pass's other variants and defaults. A lowering's own variant with `given` is tried once the lowering
    has made a module with that option alone. `prepared`: a lowering's variant that is slower by itself and made for
    what rewrites do with it, so its own time is no reason to leave it out.
    """

    options: str
    given: str = ""
    prepared: bool = False


@dataclass(frozen=True)
class Exploration:
    """How search and agents try a pass.

    `after` names passes of the same phase that come before it in a chain; the phases TEMPLATE and FINISH need it.
    `estimated`: whether the cost model can see what the pass changes. `fixed` are options that an agent may not choose,
    with the value that its choices get; `most` are the largest values that an agent may give options that cost time.
    `sizes`: whether the pass writes into kernels the sizes that launches pass, so that they hold for these alone.
    `choice` is a lowering's option that numbers, from 1 on, the launch options which the kernels' author would measure.
    """

    phase: Phase = Phase.REWRITE
    after: tuple[str, ...] = ()
    variants: tuple[Variant, ...] = ()
    estimated: bool = True
    fixed: tuple[tuple[str, str], ...] = ()
    most: tuple[tuple[str, int], ...] = ()
    choice: str = ""
    sizes: bool = False


def places(explored: Mapping[str, Exploration]) -> dict[str, tuple[Phase, int]]:
    """For each pass its phase and its place in it, by `after` and then by name; 0 for all where any order will do.

    A chain never goes back to an earlier place. Raises UserError for passes that each come after the other.
    """
    found: dict[str, tuple[Phase, int]] = {}
    for phase in Phase:
        members = {name: one for name, one in explored.items() if one.phase is phase}
        order = _ordered(members) if phase in (Phase.TEMPLATE, Phase.FINISH) else dict.fromkeys(members, 0)
        found |= {name: (phase, order[name]) for name in members}
    return found


def _ordered(members: Mapping[str, Exploration]) -> dict[str, int]:
    sorter = TopologicalSorter({name: [one for one in members[name].after if one in members] for name in members})
    try:
        sorter.prepare()
    except CycleError as error:
        raise UserError(f"passes come after one another: {' -> '.join(error.args[1])}; mend `after` of one") from None
    names: list[str] = []
    while sorter.is_active():
        ready = sorted(sorter.get_ready())
        names += ready
        sorter.done(*ready)
    return {name: index for index, name in enumerate(names)}
