"""Batches of trajectories: one after the other, or some ahead of the one that is learnt from."""

import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field, replace

from kernelwright.agent.trajectory import Trajectory, Turn
from kernelwright.ir.errors import UserError
from kernelwright.ir.values import KernelModule
from kernelwright.rl.trainer.packing import Example

#: Makes trajectories for some modules, with the adapter that was pushed last; the number seeds what is random. Modules
#: may be left out: `Trajectory.problem` is a module's index among those that were given. What is given last is called
#: when the policy has drawn all answers: another adapter may be pushed then, and another batch asked for, while these
#: are still judged.
RollOut = Callable[[Sequence[KernelModule], int, Callable[[], None]], list[Trajectory]]
#: How many problems have answers that are not all worth the same.
Signals = Callable[[Sequence[Trajectory]], int]
#: Seeds of a batch's refills are this far apart.
_SEED_STEP = 15_485_863
#: What a placeholder row consists of where a turn has no tokens.
_NOTHING = Example((0,), (0,))


@dataclass(frozen=True)
class BatchPlan:
    """What a batch is made of: modules, and their places among all problems. `adapter_step` is the step of the adapter
    that draws it. `spare` are other problems, a place and a module each, of which some take the places of problems
    whose answers are all worth the same; that happens at most `refills` times."""

    step: int
    places: Sequence[int]
    modules: Sequence[KernelModule]
    seed: int
    adapter_step: int
    spare: Sequence[tuple[int, KernelModule]] = ()
    refills: int = 0


@dataclass(frozen=True)
class Batch:
    """A batch, and how long it took from the first prompt to the last verdict. Its plan has the refills' places."""

    plan: BatchPlan
    trajectories: list[Trajectory]
    seconds: float


@dataclass
class Flight:
    """A batch on its way in a thread of its own, which nobody has to wait for: the process may end before it does.

    Once it is sent off, it begins when the policy has drawn all answers of the one `before`: `ready` then gives the
    policy the adapter that draws this one.
    """

    plan: BatchPlan
    roll_out: RollOut
    ready: Callable[[], None]
    before: "Flight | None" = None
    signals: Signals | None = None
    _drawn: threading.Event = field(default_factory=threading.Event)
    _made: "Future[Batch]" = field(default_factory=Future)

    def __post_init__(self) -> None:
        self._made.add_done_callback(lambda _made: self._drawn.set())

    def send_off(self) -> None:
        """Start the thread. Whoever calls the flight off has to hold it by then: an interrupt may come right after."""
        threading.Thread(target=self._run, name=f"batch {self.plan.step}", daemon=True).start()

    def _run(self) -> None:
        if self.before is not None:
            self.before._drawn.wait()
        if not self._made.set_running_or_notify_cancel():
            return
        try:
            if self.before is not None and self.before._made.done():
                self.before._made.result()  # what ended that one ends this one
            self.before = None
            self.ready()
            self._made.set_result(drawn_batch(self.plan, self.roll_out, self._drawn.set, self.signals))
        except BaseException as error:  # noqa: BLE001 - raised where the batch is taken
            self._made.set_exception(error)

    def call_off(self) -> None:
        """It does not begin any more; if it has, it goes on."""
        self._made.cancel()

    def take(self) -> Batch:
        """The batch, once its last verdict is there. Raises what `roll_out` raised."""
        return self._made.result()


def _nothing() -> None:
    """Nobody asks when the policy is done."""


def drawn_batch(
    plan: BatchPlan, roll_out: RollOut, over: Callable[[], None] = _nothing, signals: Signals | None = None
) -> Batch:
    """The batch of a plan. With `signals`, spare problems fill it up until as many as are planned have a signal."""
    began = time.monotonic()
    if signals is None or not plan.spare:
        trajectories = roll_out(plan.modules, plan.seed, over)
        return Batch(replace(plan, spare=()), trajectories, time.monotonic() - began)
    trajectories = roll_out(plan.modules, plan.seed, _nothing)
    places, modules, spare = list(plan.places), list(plan.modules), list(plan.spare)
    for number in range(1, plan.refills + 1):
        lacking = len(plan.places) - signals(trajectories)
        taken, spare = spare[: max(0, lacking)], spare[max(0, lacking) :]
        if not taken:
            break
        more = roll_out([module for _, module in taken], plan.seed + _SEED_STEP * number, _nothing)
        trajectories = [*trajectories, *(replace(made, problem=len(places) + made.problem) for made in more)]
        places += [place for place, _ in taken]
        modules += [module for _, module in taken]
    over()
    full = replace(plan, places=places, modules=modules, spare=())
    return Batch(full, trajectories, time.monotonic() - began)


def rows_of(trajectories: Sequence[Trajectory]) -> list[Example]:
    """A row for each turn, in order; turns without tokens get a placeholder, which no mask ever lets through."""
    return [_row(turn) for made in trajectories for turn in made.turns]


def _row(turn: Turn) -> Example:
    answer = turn.completion
    if not answer.token_ids and not turn.valid:
        return _NOTHING
    if not answer.token_ids or not answer.prompt_ids:
        raise UserError(
            f"policy {answer.version} does not tell the tokens of its answers: nothing can be learnt from it"
        )
    return Example(answer.prompt_ids, answer.token_ids)
