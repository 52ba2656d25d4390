"""Reinforcement learning of one adapter: problems, rollouts, an update, the adapter handed to the policy, again.

A step is taken wholly or not at all: everything that decides the next one (adapter, optimizer, step number, answers to
imitate) is in a checkpoint; problems (with what became of those before), seeds and what else is random follow from the
step number. Times of rewards are measured, those that a run remembers too: one that goes on measures them anew.

The first Ctrl-C or SIGTERM gives up a batch that is being drawn, and a step before its first update unless other
processes share it; from then on the step is finished. Then a checkpoint is written and the run ends.
"""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NoReturn

import torch

from kernelwright.ir.errors import UserError
from kernelwright.ir.values import KernelModule
from kernelwright.rl.algorithms.algorithm import Algorithm
from kernelwright.rl.trainer.batches import Batch, RollOut
from kernelwright.rl.trainer.checkpoint import announcement, resume_from, save_checkpoint, what_is_kept, writing_beside
from kernelwright.rl.trainer.learner import Learner
from kernelwright.rl.trainer.outcomes import rollout_metrics
from kernelwright.rl.trainer.packing import Example
from kernelwright.rl.trainer.phases import Phases
from kernelwright.rl.trainer.rl_settings import RlSettings
from kernelwright.rl.trainer.run_log import RunLog
from kernelwright.rl.trainer.step_lines import HELD_OUT, TRAJECTORIES, StepLines, trajectory_rows
from kernelwright.rl.trainer.stopping import Stop
from kernelwright.rl.trainer.supply import Push, Supply
from kernelwright.rl.trainer.updates import Updates

#: Lets the policy answer held-out problems with a saved adapter; what came of it.
Measure = Callable[[Path], dict[str, Any]]
Tell = Callable[[int, int, Mapping[str, Any]], None]
Say = Callable[[str], None]


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

    def __post_init__(self) -> None:
        self._kept = 0  # the step of the latest checkpoint
        self._stop = Stop(self._announce)
        run = self.learner, self.algorithm, self.settings, self.phases, self._stop
        self._supply = Supply(*run, self.modules, self.roll_out, self.push, self.folder / "pushed")
        self._updates = Updates(*run, self.pairs)
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
            self._supply.call_off()
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
            with self.phases.timed("held_out"), self._stop.interruptible(self.learner.ranks.alone):
                found = self.measure(place)
        except KeyboardInterrupt:
            if not self._stop.in_order:
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
            if not self._stop.in_order:
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
            self._updates.good.load(found.folder)
            self._supply.restore(found.folder, found.state)
        self._supply.begin()

    def _save(self) -> None:
        state = {"step": self.learner.step, "settings": vars(self.settings), "algorithm": vars(self.algorithm)}
        content, keep = json.loads(json.dumps(state | self._supply.state)), self.settings.keep

        def write(folder: Path) -> None:
            self.learner.save(folder)
            if self.settings.imitate:
                self._updates.good.save(folder)
            self._supply.save(folder)

        self._kept = save_checkpoint(self._checkpoints, self.learner.step, write, content, keep).step

    def _batch(self, step: int) -> Batch | None:
        """The batch of a step, in every process; None where the run is to stop."""
        asks = self.learner.ranks.leads and not self._stop.asked
        return self.learner.ranks.shared(self._supply.batch(step) if asks else None)

    def _step(self, batch: Batch) -> dict[str, Any]:
        """Learn from a batch; the step's metrics."""
        plan, trajectories = batch.plan, batch.trajectories
        self.phases.add("rollout", batch.seconds)
        torch.manual_seed(self.settings.seed_of("update", plan.step) + self.learner.ranks.rank)
        found = self._updates.learn(plan, trajectories) if trajectories else {}  # none where every prompt was too long
        self.learner.step = plan.step + 1
        if self.learner.ranks.leads:
            self._answers.add(trajectory_rows(plan.step, trajectories, self.settings.trajectories))
        return rollout_metrics(trajectories) | self._supply.learnt(batch) | found
