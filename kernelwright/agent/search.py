"""Test-time strategies: ways to spend answers on one or more modules. All keep the best verified turn.

`best-of-n` is `roll_out`. `sequential` (STTS) goes on from it in rounds of one turn that see the best turns so far.
`beam` keeps the trajectories that went best and branches each of them.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from kernelwright.agent.evaluating import fault
from kernelwright.agent.evaluator import Rung, Verdict
from kernelwright.agent.rollout import Request, Roller, goes_on, roll_out
from kernelwright.agent.trajectory import Trajectory, Turn
from kernelwright.ir.errors import UserError, check_choice
from kernelwright.ir.values import KernelModule

_RUNGS = tuple(Rung)


@dataclass(frozen=True)
class Budget:
    """What a strategy may spend on each module.

    `n`: answers at a time. `turns`: of each trajectory. `rounds`: further rounds of one turn (sequential). `width`:
    turns that are remembered (sequential; w in STTS), trajectories that go on (beam). `stop` as in `roll_out`.
    """

    n: int = 4
    turns: int = 1
    rounds: int = 0
    width: int = 4
    stop: Callable[[Turn], bool] | None = None

    def __post_init__(self) -> None:
        for name in ("n", "turns", "width"):
            if getattr(self, name) < 1:
                raise UserError(f"{name}={getattr(self, name)}: at least one is needed")
        if self.rounds < 0:
            raise UserError(f"rounds={self.rounds}: a number of rounds, or 0")


Strategy = Callable[[Roller, Sequence[KernelModule], Budget, Sequence[Verdict]], list[Trajectory]]


def best_turn(trajectories: Sequence[Trajectory]) -> Turn | None:
    """The verified turn with the highest reward over all trajectories, the earlier of equals; None without one."""
    found = [turn for turn in (trajectory.best for trajectory in trajectories) if turn is not None]
    return max(found, key=lambda turn: turn.reward, default=None)


def standing(turn: Turn) -> tuple[bool, float, int]:
    """How good a turn is for going on from it: verified, reward, and how far up the ladder it came."""
    return turn.verified, turn.reward, _RUNGS.index(turn.verdict.rung)


def best_of_n(
    roller: Roller, modules: Sequence[KernelModule], budget: Budget, given: Sequence[Verdict] = ()
) -> list[Trajectory]:
    """`n` trajectories of up to `turns` turns for each module."""
    return roll_out(
        roller.agent,
        modules,
        roller.policy,
        roller.evaluate,
        n=budget.n,
        turns=budget.turns,
        sampling=roller.sampling,
        adapter=roller.adapter,
        rungs=roller.rungs,
        given=given,
        stop=budget.stop,
        progress=roller.progress,
        cache=roller.cache,
        begin=roller.begin,
        too_long=roller.too_long,
    )


def sequential(
    roller: Roller, modules: Sequence[KernelModule], budget: Budget, given: Sequence[Verdict] = ()
) -> list[Trajectory]:
    """Trajectories as `best_of_n` makes them, then `rounds` more turns each on a memory of its best `width` turns.

    The memory is shown with the best turn last. Dr. Kernel's STTS has turns=5 and width=4. If the roller allows
    it, a trajectory ends when its prompt is too long.
    """
    trajectories = best_of_n(roller, modules, budget, given)
    ended = set[int]()
    for number in range(budget.turns, budget.turns + budget.rounds):
        left = [(index, one) for index, one in enumerate(trajectories) if index not in ended]
        going = [index for index, one in left if goes_on(one.turns[-1], budget.stop)]
        requests = [_from_memory(trajectories[index], budget.width, given) for index in going]
        for index, took in zip(going, roller.turn(requests, 1, number), strict=True):
            if took:
                trajectories[index] = replace(trajectories[index], turns=(*trajectories[index].turns, took[0]))
            else:
                ended.add(index)
    return trajectories


def _from_memory(trajectory: Trajectory, width: int, given: Sequence[Verdict]) -> Request:
    told = [turn for turn in trajectory.turns if not fault(turn.verdict)]
    memory = tuple(sorted(told, key=standing)[-width:])
    return Request(trajectory.problem, trajectory.module, memory, given[trajectory.problem] if given else None)


def beam(
    roller: Roller, modules: Sequence[KernelModule], budget: Budget, given: Sequence[Verdict] = ()
) -> list[Trajectory]:
    """In each of `turns` rounds, the `width` best trajectories of a module get n / width answers each, rounded up.

    Gives every trajectory that was begun, those that were not gone on with included; turns that several share are in
    each of them.
    """
    kept = [[Trajectory(index, module)] for index, module in enumerate(modules)]
    ended: list[list[Trajectory]] = [[] for _ in modules]
    branches = -(-budget.n // min(budget.width, budget.n))
    for number in range(budget.turns):
        beams = [one for some in kept for one in some]
        requests = [Request(one.problem, one.module, one.turns, given[one.problem] if given else None) for one in beams]
        grown: list[list[Trajectory]] = [[] for _ in modules]
        for one, turns in zip(beams, roller.turn(requests, branches if number else budget.n, number), strict=True):
            grown[one.problem] += [replace(one, turns=(*one.turns, turn)) for turn in turns]
        for index, some in enumerate(grown):
            best = sorted(some, key=lambda one: standing(one.turns[-1]), reverse=True)
            going = [one for one in best if goes_on(one.turns[-1], budget.stop)]
            kept[index] = [] if _stopped(best, budget) else going[: budget.width]
            chosen = {id(one) for one in kept[index]}
            ended[index] += [one for one in best if id(one) not in chosen or number == budget.turns - 1]
    return [one for some in ended for one in some]


def _stopped(trajectories: Sequence[Trajectory], budget: Budget) -> bool:
    """Whether one of them has what was looked for, so that its module needs no more."""
    return budget.stop is not None and any(budget.stop(one.turns[-1]) for one in trajectories)


STRATEGIES: dict[str, Strategy] = {"best-of-n": best_of_n, "sequential": sequential, "beam": beam}


def strategy_named(name: str) -> Strategy:
    """A strategy by its name; UserError for one that there is not."""
    check_choice("strategy", name, STRATEGIES)
    return STRATEGIES[name]
