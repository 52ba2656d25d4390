"""Reinforcement learning of one adapter: problems, rollouts, an update, the adapter handed to the policy, again.

A step is taken wholly or not at all: everything that decides the next one (adapter, optimizer, step number, answers to
imitate) is in a checkpoint; problems (with what became of those before), seeds and what else is random follow from the
step number. Times of rewards are measured, those that a run remembers too: one that goes on measures them anew.

The first Ctrl-C or SIGTERM gives up a batch that is being drawn, and a step before its first update unless other
processes share it; from then on the step is finished. Then a checkpoint is written and the run ends.

With `ahead` = a, batches k + 1 to k + a are drawn and judged while batch k is learnt from. Batch n is drawn by the
adapter of step n - a, whoever is faster: from then on it is a steps older than the learner. One batch ahead lets all
work at a time; two, and a batch whose last verdicts are late holds up neither the policy nor the learner. The anchor of
a row (`old_logp`) is the learner's at the time it learns from it, before the step's first update; the truncated weight
old_logp / rollout_logp is then what corrects for the older adapter, and for the engine. An adapter is pushed only when
the policy has drawn all of a batch.
"""

import json
import random
import shutil
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, NoReturn

import torch
from torch import Tensor

from kernelwright.agent.measures import coverage, speedup
from kernelwright.agent.trajectory import Trajectory
from kernelwright.ir.errors import UserError
from kernelwright.ir.values import KernelModule
from kernelwright.rl.algorithms.algorithm import Algorithm
from kernelwright.rl.algorithms.objectives import Prepared, objective, prepare, problems_with_signal
from kernelwright.rl.algorithms.statistics import Loss, acceptance, sum_and_count
from kernelwright.rl.algorithms.turns import Turns, turns_of
from kernelwright.rl.data.curriculum import Curriculum
from kernelwright.rl.trainer.batches import Batch, BatchPlan, Flight, RollOut, Signals, drawn_batch, rows_of
from kernelwright.rl.trainer.checkpoint import announcement, resume_from, save_checkpoint, what_is_kept, writing_beside
from kernelwright.rl.trainer.imitation import GoodAnswers
from kernelwright.rl.trainer.learner import DivergedError, Learner
from kernelwright.rl.trainer.outcomes import measured, rollout_metrics
from kernelwright.rl.trainer.packing import Example
from kernelwright.rl.trainer.phases import Phases
from kernelwright.rl.trainer.run_log import RunLog
from kernelwright.rl.trainer.sft import add_likelihood_gradients
from kernelwright.rl.trainer.step_lines import HELD_OUT, TRAJECTORIES, StepLines, trajectory_rows
from kernelwright.rl.trainer.stopping import Stop

#: Hands a saved adapter to the policy.
Push = Callable[[Path], None]
#: Lets the policy answer held-out problems with a saved adapter; what came of it.
Measure = Callable[[Path], dict[str, Any]]
Tell = Callable[[int, int, Mapping[str, Any]], None]
Say = Callable[[str], None]
#: In a checkpoint, the adapters by which batches are drawn that are not learnt from yet, each by its step.
_AHEAD = "ahead"


@dataclass(frozen=True)
class RlSettings:
    """`problems` to a step, a share `replay` of them worked on before (see `Curriculum`), `steps` in all; `temperature`
    is that of the rollouts. `updates` optimizer steps are taken on each batch, of which all but the first are
    off-policy. With each of them `imitate` good answers of earlier batches are learnt by heart (see `GoodAnswers`),
    their loss times `imitation`; right answers to problems that had no others are among them with the weight
    `rehearsal`, beside advantages. So are as many of the trainer's pairs as `pairs` says. Every `save_every` steps
    there is a checkpoint. `ahead` batches are drawn ahead of the one that is learnt from. `wandb` is a project of
    Weights & Biases that gets the metrics. Of each step `trajectories` are written to a file. Before the first step,
    every `evaluate_every` steps and at the end held-out problems are answered; 0: never."""

    steps: int = 100
    problems: int = 4
    replay: float = 0.0
    temperature: float = 1.0
    updates: int = 1
    imitate: int = 0
    imitation: float = 1.0
    rehearsal: float = 0.0
    pairs: int = 0
    save_every: int = 1
    keep: int = 2
    seed: int = 0
    ahead: int = 0
    wandb: str | None = None
    trajectories: int = 0
    evaluate_every: int = 0


@dataclass
class Trainer:
    """One run in one folder. `roll_out` and `push` are the policy's side, `learner` the trainer's. `pairs` are rows
    of verified pairs, as in supervised training: what they show is not forgotten (Ouyang et al., 2022, PPO-ptx).

    `tell` is given every step's metrics, `say` what else there is to say, a line each. `phases` is told by whoever
    makes the policy and the evaluators when they are at work. `measure` is asked where held-out problems are answered.
    """

    learner: Learner
    modules: Sequence[KernelModule]
    roll_out: RollOut
    push: Push
    algorithm: Algorithm
    settings: RlSettings
    folder: Path
    tell: Tell = lambda _step, _steps, _metrics: None
    say: Say = lambda _line: None
    phases: Phases = field(default_factory=Phases)
    pairs: Sequence[Example] = ()
    measure: Measure | None = None
    _flights: deque[Flight] = field(default_factory=deque)
    _handed: int | None = None  # the step of the adapter that the policy has

    def __post_init__(self) -> None:
        chosen = self.settings
        self._curriculum = Curriculum(len(self.modules), chosen.problems, chosen.replay, chosen.seed, chosen.ahead)
        self._good = GoodAnswers()
        self._kept = 0  # the step of the latest checkpoint
        self._stop = Stop(self._announce)
        self._signals: Signals | None = None
        if self.algorithm.dynamic_sampling and self.algorithm.refills:
            self._signals = partial(problems_with_signal, algorithm=self.algorithm)
        if self.algorithm.kl and self.algorithm.reference == "start":
            self.learner.keep_reference()  # before a checkpoint is loaded: KL is to where the run began

    def run(self) -> dict[str, Any]:
        """Train from the latest checkpoint on; the last step's metrics.

        Raises DivergedError for a loss that is no number, PolicyError for a policy that is gone, CheckpointError or
        DiskFullError for a full disk: in each case the latest checkpoint is what the next run starts from. Raises
        KeyboardInterrupt, told what is kept, where a signal stops it.
        """
        if self.learner.ranks.leads and not self.modules:
            raise UserError("there are no problems to learn from")
        with writing_beside(self._checkpoints), self._stop:
            return self._run()

    @property
    def _alone(self) -> bool:
        """Whether no other process takes the same steps, which would wait for this one."""
        return self.learner.ranks.world == 1

    @property
    def _checkpoints(self) -> Path:
        return self.folder / "checkpoints"

    def _run(self) -> dict[str, Any]:
        self._resume()
        leads, metrics = self.learner.ranks.leads, dict[str, Any]()
        log = RunLog(self.folder, self.learner.step, self.settings.wandb) if leads else None
        if leads:
            self._answers = StepLines(self.folder / TRAJECTORIES, self.learner.step)
            self._held_out = StepLines(self.folder / HELD_OUT, self.learner.step + 1)
            if not self.learner.step:
                self._measured()
        self.phases.lap()
        try:
            while self.learner.step < self.settings.steps:
                step = self.learner.step
                found = self._taken(step)
                if found is None:
                    break
                if log is None:
                    continue
                every, ended = self.settings.evaluate_every, self.learner.step == self.settings.steps
                if every and (ended or self.learner.step % every == 0):
                    found |= {f"held_out/{name}": value for name, value in self._measured().items()}
                metrics = found | self.phases.lap()
                log.write(step, metrics)  # first: what a checkpoint holds is never taken again, and would not be shown
                if self.learner.step % self.settings.save_every == 0 or self.learner.step >= self.settings.steps:
                    with self.phases.timed("checkpoint"):  # its seconds are the next step's
                        self._save()
                self.tell(self.learner.step, self.settings.steps, metrics)
            if self.learner.step < self.settings.steps:
                self._end_early()
        finally:
            for flight in self._flights:
                flight.call_off()
            if log is not None:
                log.close()
        if leads:
            self.learner.save_adapter(self.folder / "adapter")
            if not metrics:
                self.say(f"{self.folder} has all of its {self.settings.steps} steps already")
        return metrics

    def _measured(self) -> dict[str, Any]:
        """What held-out problems come to now; nothing where that is not asked for, or the run is to stop before."""
        if self.measure is None or not self.settings.evaluate_every or self._stop.asked:
            return {}
        place = self.folder / "pushed" / "held_out"
        self.learner.save_adapter(place)
        try:
            with self.phases.timed("held_out"), self._stop.interruptible(self._alone):
                found = self.measure(place)
        except KeyboardInterrupt:
            if not self._stop.asked or self._stop.at_once:
                raise
            return {}
        self._held_out.add([{"step": self.learner.step, **found}])
        return {name: value for name, value in found.items() if not isinstance(value, list)}

    def _taken(self, step: int) -> dict[str, Any] | None:
        """The metrics of a step; None where the run is to stop before it."""
        try:
            batch = self._batch(step)
            return None if batch is None else self._step(batch)
        except KeyboardInterrupt:
            if not self._stop.asked or self._stop.at_once:
                raise
            self.learner.optimizer.zero_grad(set_to_none=True)
            return None

    def _end_early(self) -> NoReturn:
        """Keep what was learnt, in the first process, and raise what says so, in each."""
        if self.learner.ranks.leads and self.learner.step > self._kept:
            self._save()
        self.learner.ranks.shared(None)  # no other process ends before that, or torchrun would end this one
        raise self._stop.interruption(what_is_kept(self._checkpoints, self.settings.steps))

    def _announce(self, given_up: bool) -> None:
        if self.learner.ranks.leads:
            self.say(announcement(given_up))

    def _resume(self) -> None:
        self.learner.steps = self.settings.steps
        found = resume_from(self._checkpoints, self.say)
        if found is not None:
            self.learner.load(found.folder)
            self._kept = found.step
            self._curriculum.restore(found.state["curriculum"])
            self._good.load(found.folder)
            if self.learner.ranks.leads:
                for kept in (found.folder / _AHEAD).glob("*"):
                    shutil.copytree(kept, self._place(int(kept.name)), dirs_exist_ok=True)
        if not self.settings.ahead:
            self._hand_over()

    def _save(self) -> None:
        state = {"step": self.learner.step, "settings": vars(self.settings), "algorithm": vars(self.algorithm)}
        state |= {"curriculum": self._curriculum.state}
        content, keep = json.loads(json.dumps(state)), self.settings.keep
        ahead = {self._drawn_by(step) for step in self._steps_ahead()} - {self.learner.step}

        def write(folder: Path) -> None:
            self.learner.save(folder)
            if self.settings.imitate:
                self._good.save(folder)
            for step in ahead:
                shutil.copytree(self._place(step), folder / _AHEAD / str(step))

        self._kept = save_checkpoint(self._checkpoints, self.learner.step, write, content, keep).step

    def _place(self, step: int) -> Path:
        """Where a step's adapter is for the policy, until all that it draws is learnt from."""
        return self.folder / "pushed" / f"{step % (self.settings.ahead + 1)}"

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

    def _plan(self, step: int) -> BatchPlan:
        places = self._curriculum.batch_of(step)
        chosen = [self.modules[place] for place in places]
        refills = self.algorithm.refills if self._signals is not None else 0
        spare = self._curriculum.spare(step, places, refills * self.settings.problems)
        others = [(place, self.modules[place]) for place in spare]
        return BatchPlan(step, places, chosen, self._seed("rollout", step), self._drawn_by(step), others, refills)

    def _drawn_by(self, step: int) -> int:
        """The step of the adapter that draws a step's batch."""
        return max(0, step - self.settings.ahead)

    def _seed(self, what: str, step: int) -> int:
        return random.Random(f"{self.settings.seed}/{what}/{step}").getrandbits(31)

    def _batch(self, step: int) -> Batch | None:
        """The batch of a step, in every process; None where the run is to stop."""
        asks = self.learner.ranks.leads and not self._stop.asked
        return self.learner.ranks.shared(self._own_batch(step) if asks else None)

    def _own_batch(self, step: int) -> Batch | None:
        if self.settings.ahead and not self._flights:
            self._go_ahead()
        try:
            with self._stop.interruptible():
                if not self.settings.ahead:
                    return drawn_batch(self._plan(step), self.roll_out, signals=self._signals)
                with self.phases.timed("wait"):
                    batch = self._flights[0].take()  # held until then: an interrupt calls it off
        except KeyboardInterrupt:
            if not self._stop.asked or self._stop.at_once:
                raise
            return None
        self._flights.popleft()
        return batch

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

    def _step(self, batch: Batch) -> dict[str, Any]:
        """Learn from a batch; the step's metrics."""
        plan, trajectories = batch.plan, batch.trajectories
        self.phases.add("rollout", batch.seconds)
        torch.manual_seed(self._seed("update", plan.step) + self.learner.ranks.rank)
        found = self._learnt(plan, trajectories) if trajectories else {}  # none where every prompt was too long
        self.learner.step = plan.step + 1
        fresh = self._fresh(plan.step, trajectories)
        if self.learner.ranks.leads:
            self._curriculum.record(plan.places, trajectories)
            self._answers.add(trajectory_rows(plan.step, trajectories, self.settings.trajectories))
        if self._stop.asked:
            pass  # nobody draws any more, and a terminal's Ctrl-C may have ended the policy
        elif not self.settings.ahead or self.learner.step == self.settings.steps:
            self._hand_over()
        elif self.learner.ranks.leads:
            self._go_ahead()
        answers = [turn.completion for made in trajectories for turn in made.turns]
        tokens = sum(len(answer.token_ids) for answer in answers)
        facts: dict[str, Any] = {"tokens": tokens, "tokens_per_s": round(tokens / max(1e-9, batch.seconds), 1)}
        facts |= {"lag": plan.step - plan.adapter_step, "versions": sorted({answer.version for answer in answers})}
        facts["problems"] = [module.name for module in plan.modules]
        if self._signals is not None:
            facts["refilled"] = len(plan.places) - self.settings.problems
        return rollout_metrics(trajectories) | fresh | facts | found

    def _learnt(self, plan: BatchPlan, trajectories: Sequence[Trajectory]) -> dict[str, Any]:
        """Take the updates of a batch; its statistics, and the last update's."""
        rows = rows_of(trajectories)
        with self.phases.timed("score", "learner"), self._stop.interruptible(self._alone):
            turns, prepared, entropy = self._prepared(trajectories, rows, plan.seed)
        found: dict[str, Any] = {}
        for number in range(self.settings.updates):
            again = self._good.drawn(self.settings.imitate, f"{self.settings.seed}/imitate/{plan.step}/{number}")
            again += self._paired(f"{self.settings.seed}/pairs/{plan.step}/{number}")
            with self.phases.timed("update", "learner"):
                found = self._update(turns, prepared, rows, entropy, again, first=not number)
        if self.settings.imitate:
            weights = prepared.good + self.settings.rehearsal * prepared.solved
            self._good.record(rows, self.learner.ranks.shared(weights.tolist()))
        return dict(prepared.statistics) | found

    def _paired(self, seed: str) -> list[Example]:
        """So many rows of pairs as are imitated with an update, or all there are."""
        return random.Random(seed).sample(self.pairs, min(self.settings.pairs, len(self.pairs)))

    def _fresh(self, step: int, trajectories: Sequence[Trajectory]) -> dict[str, Any]:
        """Where problems are replayed, which are hard ones: the reward and the share that is right of the others."""
        if not self.settings.replay or not self.learner.ranks.leads:
            return {}
        new = self._curriculum.new(step)
        found = rollout_metrics([made for made in trajectories if made.problem < new])
        return {f"new/{name}": found[name] for name in ("reward", "correct") if name in found}

    def _prepared(
        self, trajectories: Sequence[Trajectory], rows: Sequence[Example], seed: int
    ) -> tuple[Turns, Prepared, Tensor | None]:
        """The batch as rows, what it decides as a whole, and its tokens' entropy."""
        scored = self.learner.scored(rows, self.settings.temperature)
        if not bool(torch.isfinite(scored.logp).all()):
            raise DivergedError(f"step {self.learner.step}: the model's log-probabilities are not finite")
        reference = None
        if self.algorithm.kl:
            of_start = self.algorithm.reference == "start"
            scored_by = self.learner.scored_by_reference if of_start else self.learner.scored_by_base
            reference = scored_by(rows, self.settings.temperature).logp
        taken = [turn for made in trajectories for turn in made.turns]
        figures = measured(speedup, taken), measured(coverage, taken)
        turns = turns_of(trajectories, scored.logp, reference, *figures, self.algorithm.mask_truncated)
        return turns, prepare(turns, self.algorithm, seed), scored.entropy

    def _update(
        self,
        turns: Turns,
        prepared: Prepared,
        rows: Sequence[Example],
        entropy: Tensor | None,
        again: Sequence[Example] = (),
        first: bool = False,
    ) -> dict[str, Any]:
        """One optimizer step, its gradients summed over packs; none where no row has anything to teach.

        Rows without an advantage are left out where nothing but the advantage has a gradient; denominators stay those
        of the batch. `ratio` and `clip_fraction` are of the rows that are left. `again` are rows that are imitated. The
        gradients of a step's `first` update may be given up.
        """
        teaches = prepared.keep.any(-1) & ((prepared.advantages != 0) | bool(self.algorithm.kl))
        live = teaches.nonzero()[:, 0].tolist()
        sums = acceptance(turns, prepared.keep)
        if entropy is not None:
            sums["entropy"] = sum_and_count(entropy, prepared.keep)
        with self._stop.interruptible(self._alone and first):
            total = self._add_gradients(turns, prepared, rows, live) if live else Loss(torch.zeros(()), {})
            told: dict[str, Any] = Loss(total.value, {**total.sums, **sums}).statistics()
            if again:
                told["imitation_loss"] = add_likelihood_gradients(self.learner, again, self.settings.imitation)
        return told | self.learner.update() if live or again else told

    def _add_gradients(self, turns: Turns, prepared: Prepared, rows: Sequence[Example], live: Sequence[int]) -> Loss:
        """Those of the rows that are left, and what their loss came to in all processes."""
        total: Loss | None = None
        for pack in self.learner.packs([rows[index] for index in live]):
            loss = self._loss(turns, prepared, rows, [live[index] for index in pack] or live[:1], idle=not pack)
            loss.value.backward()  # type: ignore[no-untyped-call]
            total = loss.detach() if total is None else total + loss.detach()
        assert total is not None, "rows make packs"
        self.learner.ranks.add_up([total.value, *total.sums.values()])
        return total

    def _loss(
        self, turns: Turns, prepared: Prepared, rows: Sequence[Example], chosen: Sequence[int], idle: bool
    ) -> Loss:
        """The loss of some rows; idle, of none of their tokens: a pass that other processes wait for."""
        part = prepared.select(chosen)
        keep = part.keep & (not idle)
        logp = self.learner.score([rows[index] for index in chosen], self.settings.temperature, False).logp
        seen = turns.select(chosen).with_logp(logp)
        loss = objective(seen, self.algorithm, part.advantages, keep, part.denominator, part.weights)
        if not torch.isfinite(loss.value):
            self.learner.optimizer.zero_grad(set_to_none=True)
            raise DivergedError(f"step {self.learner.step}: the loss is {float(loss.value.detach())}")
        return loss
