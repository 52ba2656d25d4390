"""A signal ends a run after a whole step, with a checkpoint, and the run goes on with the batch that comes next."""

import os
import signal
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
import torch
from test_rl_overlap import landed
from test_rl_sft import ROWS
from test_rl_sft import learner as student
from test_rl_trainer import Toy, trainer, weights

from kernelwright.agent.trajectory import Trajectory
from kernelwright.ir.errors import Terminated
from kernelwright.ir.values import KernelModule
from kernelwright.rl.algorithms.presets import preset
from kernelwright.rl.trainer import checkpoint
from kernelwright.rl.trainer.checkpoint import latest_checkpoint
from kernelwright.rl.trainer.learner import Learner
from kernelwright.rl.trainer.run_log import read_metrics
from kernelwright.rl.trainer.sft import train_sft
from kernelwright.rl.trainer.sft_settings import SftSettings
from kernelwright.rl.trainer.stopping import Stop

STEPS = 6


@pytest.fixture(autouse=True)
def _nothing_in_flight() -> Iterator[None]:
    yield
    landed()


def sent(number: signal.Signals = signal.SIGINT) -> None:
    os.kill(os.getpid(), number)


class Signalled(Toy):
    """Draws batch `at` while a signal comes."""

    def __init__(self, at: int, number: signal.Signals) -> None:
        super().__init__()
        self.at, self.number = at, number

    def roll_out(self, modules: Sequence[KernelModule], seed: int, over: Callable[[], None]) -> list[Trajectory]:
        if len(self.asked) == self.at:
            sent(self.number)
        return super().roll_out(modules, seed, over)


def same(one: Path, other: Path) -> None:
    for name, value in weights(one).items():
        torch.testing.assert_close(value, weights(other)[name])
    facts = [[(row["step"], row["problems"], row.get("loss")) for row in read_metrics(place)] for place in (one, other)]
    assert facts[0] == facts[1]


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize("changes", [{}, {"ahead": 2}, {"replay": 0.7, "imitate": 2}], ids=str)
def test_a_signal_keeps_the_steps_since_the_last_checkpoint(
    tmp_path: Path, changes: dict[str, Any], number: signal.Signals
) -> None:
    algorithm = preset("grpo", kl=0.0, tis_cap=2.0)
    settings = {"steps": STEPS, "save_every": 100, **changes}
    trainer(tmp_path / "steady", Toy(), algorithm, **settings).run()
    cut = trainer(tmp_path / "cut", Signalled(4, number), algorithm, **settings)
    said: list[str] = []
    cut.say = said.append
    handlers = [signal.getsignal(one) for one in (signal.SIGINT, signal.SIGTERM)]
    with pytest.raises(
        KeyboardInterrupt, match=r"stopped after step \d of 6; kept .*; the same command resumes"
    ) as told:
        cut.run()
    assert isinstance(told.value, Terminated) == (number == signal.SIGTERM)
    assert handlers == [signal.getsignal(one) for one in (signal.SIGINT, signal.SIGTERM)]
    landed()
    kept = latest_checkpoint(tmp_path / "cut" / "checkpoints")
    assert kept is not None
    assert kept.step == len(read_metrics(tmp_path / "cut"))  # every step that was taken
    assert kept.step == 4 if not changes.get("ahead") else 1 <= kept.step <= 4
    wanted = f"stopped after step {kept.step} of 6; kept {kept.folder}; the same command resumes from there"
    assert str(told.value) == wanted
    assert any("stopping: " in line for line in said)
    trainer(tmp_path / "cut", Toy(), algorithm, **settings).run()
    same(tmp_path / "steady", tmp_path / "cut")


@pytest.mark.parametrize("ahead", [0, 2])
@pytest.mark.parametrize("place", ["scored", "score", "update"])
def test_a_step_is_given_up_before_its_update_and_finished_from_then_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, place: str, ahead: int
) -> None:
    settings = {"steps": STEPS, "save_every": 100, "updates": 2, "ahead": ahead}
    trainer(tmp_path / "steady", Toy(), **settings).run()
    real, calls = getattr(Learner, place), 0
    at = 7 if place == "update" else 3  # two updates a step: in the middle of the fourth step

    def signalled(self: Learner, *given: Any) -> Any:
        nonlocal calls
        calls += 1
        found = real(self, *given)
        if calls == at:
            sent()
        return found

    with monkeypatch.context() as patched, pytest.raises(KeyboardInterrupt):
        patched.setattr(Learner, place, signalled)
        trainer(tmp_path / "cut", Toy(), **settings).run()
    landed()
    kept = latest_checkpoint(tmp_path / "cut" / "checkpoints")
    assert kept is not None
    assert kept.step == {"scored": 2, "score": 1, "update": 4}[place]
    trainer(tmp_path / "cut", Toy(), **settings).run()
    same(tmp_path / "steady", tmp_path / "cut")


def test_a_signal_keeps_what_pairs_taught(tmp_path: Path) -> None:
    settings = SftSettings(epochs=2, batch=5, save_every=100, evaluate_every=2)
    steady, cut = student(), student()
    train_sft(steady, ROWS, settings, tmp_path / "steady", held_out=ROWS[:4])

    def tell(step: int, _steps: int, _metrics: Any) -> None:
        if step == 3:
            sent(signal.SIGTERM)

    with pytest.raises(Terminated, match=r"stopped after step 3 of \d+; kept .*step-00000003"):
        train_sft(cut, ROWS, settings, tmp_path / "cut", held_out=ROWS[:4], tell=tell)
    train_sft(student(), ROWS, settings, tmp_path / "cut", held_out=ROWS[:4])
    for name, value in weights(tmp_path / "steady").items():
        torch.testing.assert_close(value, weights(tmp_path / "cut")[name])
    rows = [read_metrics(tmp_path / name) for name in ("steady", "cut")]
    assert [row["loss"] for row in rows[0]] == [row["loss"] for row in rows[1]]


def test_a_long_evaluation_holds_up_no_stop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    waited: list[bool] = []

    def slow(*_: Any) -> Any:
        sent()
        time.sleep(60)
        waited.append(True)

    monkeypatch.setattr(Learner, "scored", slow)
    with pytest.raises(KeyboardInterrupt, match="stopped after step 2 of"):
        train_sft(student(), ROWS, SftSettings(2, batch=5, evaluate_every=2), tmp_path, held_out=ROWS)
    assert not waited
    assert [row["step"] for row in read_metrics(tmp_path)] == [0, 1]


def test_a_second_signal_ends_a_run_at_once_and_leaves_the_last_checkpoint(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("kernelwright.rl.trainer.stopping._ONE_SIGNAL_SECONDS", 0.0)
    real = checkpoint._manifest

    def twice(folder: Path) -> Any:
        if folder.name == "step-00000003.partial":
            sent()  # while the checkpoint is written that the first one asked for
        return real(folder)

    halted = trainer(tmp_path, Signalled(3, signal.SIGINT), steps=STEPS, save_every=2)
    with monkeypatch.context() as patched, pytest.raises(KeyboardInterrupt) as ended:
        patched.setattr(checkpoint, "_manifest", twice)
        halted.run()
    assert not ended.value.args  # whoever catches it says what is kept
    kept = latest_checkpoint(tmp_path / "checkpoints")
    assert kept is not None
    assert kept.step == 2
    after = Toy()
    trainer(tmp_path, after, steps=STEPS, save_every=2).run()
    assert len(after.asked) == STEPS - 2
    assert not list((tmp_path / "checkpoints").glob("*.partial"))


def test_one_signal_that_comes_twice_is_one() -> None:
    """As where a terminal's Ctrl-C reaches a process of torchrun, and torchrun sends it on."""
    with Stop() as stop:
        sent()
        sent()
        assert stop.asked
        with pytest.raises(KeyboardInterrupt), stop.interruptible():
            raise AssertionError("nothing begins that could be given up")


def test_a_run_in_another_thread_leaves_signals_alone() -> None:
    before = signal.getsignal(signal.SIGINT)
    found: list[Any] = []

    def run() -> None:
        with Stop():
            found.append(signal.getsignal(signal.SIGINT))

    thread = threading.Thread(target=run)
    thread.start()
    thread.join()
    assert found == [before]
