"""Batches drawn ahead: what goes on at the same time, which adapter draws what, how such a run ends and goes on."""

import os
import signal
import threading
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
import torch
from test_rl_trainer import Toy, trainer, weights

from kernelwright.agent.policy import PolicyError
from kernelwright.agent.trajectory import Trajectory
from kernelwright.ir.values import KernelModule
from kernelwright.rl.algorithms.presets import preset
from kernelwright.rl.trainer.checkpoint import latest_checkpoint
from kernelwright.rl.trainer.phases import Phases
from kernelwright.rl.trainer.run_log import read_metrics

ALGORITHM = preset("grpo", kl=0.0, tis_cap=2.0)
#: For what has to happen; it is never waited out where things are right.
PATIENCE_S = 30.0


@pytest.fixture(autouse=True)
def _nothing_in_flight() -> Iterator[None]:
    """What a run that was ended has in flight is over before the next test, or the interpreter's end."""
    yield
    landed()


def landed() -> None:
    for thread in threading.enumerate():
        if thread.name.startswith("batch "):
            thread.join(PATIENCE_S)
            assert not thread.is_alive()


class Watched(Toy):
    """A policy that finds out which adapter it has, and refuses another one under a running batch."""

    def __init__(self) -> None:
        super().__init__()
        self.drawing, self.pushed, self.drew = threading.Lock(), 0, list[int]()

    def push(self, folder: Path) -> None:
        assert self.drawing.acquire(blocking=False), "an adapter was pushed under a running batch"
        super().push(folder)
        self.pushed += 1
        self.drawing.release()

    def roll_out(self, modules: Sequence[KernelModule], seed: int, over: Callable[[], None]) -> list[Trajectory]:
        with self.drawing:
            self.drew.append(self.pushed)
            made = super().roll_out(modules, seed, lambda: None)
        over()
        return made


@pytest.mark.parametrize("replay", [0.0, 0.7])
def test_a_learner_that_stays_as_it_is_has_the_losses_of_one_step_after_the_other(
    tmp_path: Path, replay: float
) -> None:
    for name, ahead in (("after", 0), ("beside", 1)):
        trainer(tmp_path / name, Toy(), ALGORITHM, steps=5, lr=0.0, ahead=ahead, replay=replay).run()
    after, beside = (read_metrics(tmp_path / name) for name in ("after", "beside"))
    for name in ("loss", "reward", "grad_norm", "problems", "mismatch"):
        assert [row.get(name) for row in after] == [row.get(name) for row in beside], name
    assert any(row.get("grad_norm") for row in after)


@pytest.mark.parametrize(
    ("ahead", "lags", "drew"), [(1, [0, 1, 1, 1, 1], [1, 1, 2, 3, 4]), (2, [0, 1, 2, 2, 2], [1, 1, 1, 2, 3])]
)
def test_a_batch_is_of_the_adapter_so_many_steps_before_it(
    tmp_path: Path, ahead: int, lags: list[int], drew: list[int]
) -> None:
    toy = Watched()
    trainer(tmp_path, toy, ALGORITHM, steps=5, ahead=ahead).run()
    rows = read_metrics(tmp_path)
    assert [row["lag"] for row in rows] == lags
    assert toy.drew == drew
    assert rows[0]["mismatch"] < 1e-4  # between the learner, as it anchors the ratio, and the policy that drew
    assert all(row["mismatch"] > 1e-3 for row in rows[1:])
    assert all(row["ratio"] == pytest.approx(1.0) for row in rows)  # the anchor is the learner's, not the policy's
    assert toy.pushed == drew[-1] + 1  # those, and the last one


def test_problems_are_learnt_from_an_older_adapter(tmp_path: Path) -> None:
    trainer(tmp_path, Toy(), ALGORITHM, steps=40, save_every=40, ahead=2).run()
    rows = read_metrics(tmp_path)
    first, last = (sum(row["correct"] for row in part) / 8 for part in (rows[:8], rows[-8:]))
    assert first < 0.25
    assert last > 0.45


def test_the_next_batch_is_drawn_while_the_learner_learns(tmp_path: Path) -> None:
    """Each waits for the other: one after the other, neither would go on."""
    drawing, scoring = threading.Event(), threading.Event()

    class Slow(Toy):
        def roll_out(self, modules: Sequence[KernelModule], seed: int, over: Callable[[], None]) -> list[Trajectory]:
            if len(self.asked) == 1:
                drawing.set()
                assert scoring.wait(PATIENCE_S), "the learner waits for the batch after"
            return super().roll_out(modules, seed, over)

    made = trainer(tmp_path, Slow(), ALGORITHM, steps=2, ahead=1)
    score = made.learner.scored

    def scored(*arguments: Any) -> Any:
        scoring.set()
        assert drawing.wait(PATIENCE_S), "the batch after waits for the learner"
        return score(*arguments)

    made.learner.scored = scored  # type: ignore[method-assign]
    made.run()
    rows = read_metrics(tmp_path)
    assert [row["lag"] for row in rows] == [0, 1]
    names = {f"seconds/{name}" for name in ("rollout", "wait", "score", "update", "push")}
    assert names | {"step_seconds", "idle/policy", "idle/learner", "idle/evaluator"} <= set(rows[1])


@pytest.mark.parametrize("ahead", [1, 2])
def test_late_verdicts_hold_up_nobody(tmp_path: Path, ahead: int) -> None:
    """Batch 1 is not judged before batch 1 + `ahead` is asked for; two ahead, batch 0 is learnt from meanwhile."""
    later = threading.Event()

    class Judged(Toy):
        def roll_out(self, modules: Sequence[KernelModule], seed: int, over: Callable[[], None]) -> list[Trajectory]:
            number = len(self.asked)
            if number == 1 + ahead:
                later.set()
            made = super().roll_out(modules, seed, over)
            assert number != 1 or later.wait(PATIENCE_S), "they wait for verdicts"
            return made

    trainer(tmp_path, Judged(), ALGORITHM, steps=5, ahead=ahead).run()
    assert [row["lag"] for row in read_metrics(tmp_path)] == [min(step, ahead) for step in range(5)]


@pytest.mark.parametrize("replay", [0.0, 0.7])
@pytest.mark.parametrize(("ahead", "at"), [(1, 1), (1, 3), (2, 1), (2, 2), (2, 4)])
def test_a_killed_run_draws_the_batches_in_flight_again(tmp_path: Path, ahead: int, at: int, replay: float) -> None:
    steady, cut, after = Watched(), Watched(), Watched()
    trainer(tmp_path / "steady", steady, ALGORITHM, steps=6, ahead=ahead, replay=replay).run()
    halted = trainer(tmp_path / "cut", cut, ALGORITHM, steps=6, ahead=ahead, replay=replay)

    def tell(step: int, _steps: int, _metrics: Any) -> None:
        if step == at:
            raise KeyboardInterrupt

    halted.tell = tell
    with pytest.raises(KeyboardInterrupt):
        halted.run()
    trainer(tmp_path / "cut", after, ALGORITHM, steps=6, ahead=ahead, replay=replay).run()
    assert after.asked == steady.asked[at:]
    rows = {name: read_metrics(tmp_path / name) for name in ("steady", "cut")}
    assert [row["lag"] for row in rows["cut"]] == [min(step, ahead) for step in range(6)]
    assert [row["loss"] for row in rows["cut"]] == [row["loss"] for row in rows["steady"]]
    for name, value in weights(tmp_path / "steady").items():
        assert torch.equal(value, weights(tmp_path / "cut")[name])


@pytest.mark.parametrize("ahead", [1, 2])
def test_a_policy_that_is_gone_ends_the_run_after_the_step_under_way(tmp_path: Path, ahead: int) -> None:
    class Mortal(Toy):
        def roll_out(self, modules: Sequence[KernelModule], seed: int, over: Callable[[], None]) -> list[Trajectory]:
            if len(self.asked) == 3:
                raise PolicyError("the engine has ended")
            return super().roll_out(modules, seed, over)

    with pytest.raises(PolicyError, match="the engine has ended"):
        trainer(tmp_path, Mortal(), ALGORITHM, steps=6, ahead=ahead).run()
    found = latest_checkpoint(tmp_path / "checkpoints")
    assert found is not None
    assert found.step == 3
    trainer(tmp_path, Toy(), ALGORITHM, steps=6, ahead=ahead).run()
    assert [row["step"] for row in read_metrics(tmp_path)] == list(range(6))


@pytest.mark.parametrize("ahead", [1, 2])
def test_an_interrupt_does_not_wait_for_the_policy(tmp_path: Path, ahead: int) -> None:
    free = threading.Event()

    class Stuck(Toy):
        def roll_out(self, modules: Sequence[KernelModule], seed: int, over: Callable[[], None]) -> list[Trajectory]:
            if len(self.asked) == 2:
                os.kill(os.getpid(), signal.SIGINT)
                free.wait(PATIENCE_S)
            return super().roll_out(modules, seed, over)

    toy = Stuck()
    with pytest.raises(KeyboardInterrupt):
        trainer(tmp_path, toy, ALGORITHM, steps=6, ahead=ahead).run()
    assert len(toy.asked) == 2
    free.set()
    landed()
    assert len(toy.asked) == 3  # and none of those that waited for it


def test_an_interrupt_while_a_batch_is_sent_off_calls_it_off(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    free, start = threading.Event(), threading.Thread.start

    class Stuck(Toy):
        def roll_out(self, modules: Sequence[KernelModule], seed: int, over: Callable[[], None]) -> list[Trajectory]:
            free.wait(PATIENCE_S)
            return super().roll_out(modules, seed, over)

    def interrupted(thread: threading.Thread) -> None:
        start(thread)
        if thread.name == "batch 1":
            raise KeyboardInterrupt

    monkeypatch.setattr(threading.Thread, "start", interrupted)
    toy = Stuck()
    with pytest.raises(KeyboardInterrupt):
        trainer(tmp_path, toy, ALGORITHM, steps=6, ahead=2).run()
    free.set()
    landed()
    assert len(toy.asked) == 1


def test_idle_shares_are_of_the_time_between_laps() -> None:
    clock = iter([0.0, 1.0, 2.0, 5.0, 7.0, 10.0, 14.0, 16.0, 20.0])
    phases = Phases(lambda: next(clock))
    phases.count("evaluator", 1)  # at 1
    phases.count("evaluator", 1)
    phases.count("policy", 1)  # at 2
    phases.count("policy", -1)  # at 5
    phases.count("evaluator", -1)
    phases.count("evaluator", -1)  # at 7
    assert phases.lap() == {"step_seconds": 10.0, "idle/policy": 0.7, "idle/learner": 1.0, "idle/evaluator": 0.4}
    phases.count("learner", 1)  # at 14, and it goes on
    phases.add("wait", 4.0)
    found = phases.lap()  # at 16
    assert (found["step_seconds"], found["seconds/wait"], found["idle/learner"]) == (6.0, 4.0, round(1 - 2 / 6, 4))
    assert phases.lap()["idle/learner"] == 0.0
