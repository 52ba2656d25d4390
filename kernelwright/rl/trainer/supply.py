"""Where batches come from: their problems, the adapter that draws them, and how far ahead of the learner that is.

With `ahead` = a, batches k + 1 to k + a are drawn and judged while batch k is learnt from. Batch n is drawn by the
adapter of step n - a, whoever is faster: from then on it is a steps older than the learner. One batch ahead lets all
work at a time; two, and a batch whose last verdicts are late holds up neither the policy nor the learner. The anchor of
a row (`old_logp`) is the learner's at the time it learns from it, before the step's first update; the truncated weight
old_logp / rollout_logp is then what corrects for the older adapter, and for the engine. An adapter is pushed only when
the policy has drawn all of a batch.
"""

import shutil
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

from kernelwright.agent.trajectory import Trajectory
from kernelwright.ir.values import KernelModule
from kernelwright.rl.algorithms.algorithm import Algorithm
from kernelwright.rl.algorithms.objectives import problems_with_signal
from kernelwright.rl.data.curriculum import Curriculum
from kernelwright.rl.trainer.batches import Batch, BatchPlan, Flight, RollOut, Signals, drawn_batch
from kernelwright.rl.trainer.learner import Learner
from kernelwright.rl.trainer.outcomes import rollout_metrics
from kernelwright.rl.trainer.phases import Phases
from kernelwright.rl.trainer.rl_settings import RlSettings
from kernelwright.rl.trainer.stopping import Stop

#: Hands a saved adapter to the policy.
Push = Callable[[Path], None]
#: In a checkpoint, the adapters by which batches are drawn that are not learnt from yet, each by its step.
_AHEAD = "ahead"


@dataclass
class Supply:
    """The batches of a run, of which the first process alone asks. `roll_out` and `push` are the policy's side;
    adapters are written for it to `folder`."""

    learner: Learner
    algorithm: Algorithm
    settings: RlSettings
    phases: Phases
    stop: Stop
    modules: Sequence[KernelModule]
    roll_out: RollOut
    push: Push
    folder: Path
    _flights: deque[Flight] = field(default_factory=deque)
    _handed: int | None = None  # the step of the adapter that the policy has

    def __post_init__(self) -> None:
        run = self.settings
        self._curriculum = Curriculum(len(self.modules), run.problems, run.replay, run.seed, run.ahead)
        self._signals: Signals | None = None
        if self.algorithm.dynamic_sampling and self.algorithm.refills:
            self._signals = partial(problems_with_signal, algorithm=self.algorithm)

    def begin(self) -> None:
        """Give the policy the adapter that draws the next batch, if none is drawn ahead."""
        if not self.settings.ahead:
            self._hand_over()

    def batch(self, step: int) -> Batch | None:
        """The batch of a step; None where the run is to stop."""
        if self.settings.ahead and not self._flights:
            self._go_ahead()
        try:
            with self.stop.interruptible():
                if not self.settings.ahead:
                    return drawn_batch(self._plan(step), self.roll_out, signals=self._signals)
                with self.phases.timed("wait"):
                    batch = self._flights[0].take()  # held until then: an interrupt calls it off
        except KeyboardInterrupt:
            if not self.stop.in_order:
                raise
            return None
        self._flights.popleft()
        return batch

    def learnt(self, batch: Batch) -> dict[str, Any]:
        """Go on behind a batch that was learnt from: send off what may be drawn now. What there is to log of it."""
        plan, leads = batch.plan, self.learner.ranks.leads
        facts = self._facts(batch)
        if leads:
            self._curriculum.record(plan.places, batch.trajectories)
        if self.stop.asked:
            pass  # nobody draws any more, and a terminal's Ctrl-C may have ended the policy
        elif not self.settings.ahead or self.learner.step == self.settings.steps:
            self._hand_over()
        elif leads:
            self._go_ahead()
        return facts

    def call_off(self) -> None:
        """No batch that is not under way begins any more."""
        for flight in self._flights:
            flight.call_off()

    @property
    def state(self) -> dict[str, Any]:
        """What a checkpoint has to hold of it, as JSON values."""
        return {"curriculum": self._curriculum.state}

    def save(self, folder: Path) -> None:
        """Put what draws the batches that are not learnt from into a checkpoint; the learner's own adapter is there."""
        for step in {self._drawn_by(step) for step in self._steps_ahead()} - {self.learner.step}:
            shutil.copytree(self._place(step), folder / _AHEAD / str(step))

    def restore(self, folder: Path, state: Mapping[str, Any]) -> None:
        """Go to where a checkpoint stood."""
        self._curriculum.restore(state["curriculum"])
        if self.learner.ranks.leads:
            for kept in (folder / _AHEAD).glob("*"):
                shutil.copytree(kept, self._place(int(kept.name)), dirs_exist_ok=True)

    def _facts(self, batch: Batch) -> dict[str, Any]:
        plan = batch.plan
        answers = [turn.completion for made in batch.trajectories for turn in made.turns]
        tokens = sum(len(answer.token_ids) for answer in answers)
        facts: dict[str, Any] = {"tokens": tokens, "tokens_per_s": round(tokens / max(1e-9, batch.seconds), 1)}
        facts |= {"lag": plan.step - plan.adapter_step, "versions": sorted({answer.version for answer in answers})}
        facts["problems"] = [module.name for module in plan.modules]
        if self._signals is not None:
            facts["refilled"] = len(plan.places) - self.settings.problems
        return self._fresh(plan.step, batch.trajectories) | facts

    def _fresh(self, step: int, trajectories: Sequence[Trajectory]) -> dict[str, Any]:
        """Where problems are replayed, which are hard ones: the reward and the share that is right of the others."""
        if not self.settings.replay or not self.learner.ranks.leads:
            return {}
        new = self._curriculum.new(step)
        found = rollout_metrics([made for made in trajectories if made.problem < new])
        return {f"new/{name}": found[name] for name in ("reward", "correct") if name in found}

    def _plan(self, step: int) -> BatchPlan:
        places = self._curriculum.batch_of(step)
        chosen = [self.modules[place] for place in places]
        refills = self.algorithm.refills if self._signals is not None else 0
        spare = self._curriculum.spare(step, places, refills * self.settings.problems)
        others = [(place, self.modules[place]) for place in spare]
        seed = self.settings.seed_of("rollout", step)
        return BatchPlan(step, places, chosen, seed, self._drawn_by(step), others, refills)

    def _drawn_by(self, step: int) -> int:
        """The step of the adapter that draws a step's batch."""
        return max(0, step - self.settings.ahead)

    def _steps_ahead(self) -> range:
        """Those whose batches are drawn by now, or on their way."""
        first = self.learner.step
        return range(first, min(first + self.settings.ahead + 1, self.settings.steps))

    def _go_ahead(self) -> None:
        """Send off the batches up to `ahead` after the next, each as soon as the policy has drawn the one before."""
        self._keep()
        for step in self._steps_ahead()[len(self._flights) :]:
            plan = self._plan(step)
            before = self._flights[-1] if self._flights else None
            push = partial(self._push, plan.adapter_step)
            self._flights.append(Flight(plan, self.roll_out, push, before, self._signals))
            self._flights[-1].send_off()

    def _hand_over(self) -> None:
        """Give the policy the adapter as it is now."""
        if self.learner.ranks.leads:
            self._keep()
            self._push(self.learner.step)

    def _keep(self) -> None:
        """Write the adapter as it is now for the policy."""
        with self.phases.timed("push"):
            self.learner.save_adapter(self._place(self.learner.step))

    def _push(self, step: int) -> None:
        """Give the policy the adapter of a step, if it has another."""
        if step != self._handed:
            with self.phases.timed("push"):
                self.push(self._place(step))
            self._handed = step

    def _place(self, step: int) -> Path:
        """Where a step's adapter is for the policy, until all that it draws is learnt from."""
        return self.folder / f"{step % (self.settings.ahead + 1)}"
