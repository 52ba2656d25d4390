"""What a step is compared with: where KL is taken to, and the same weights without dropout."""

import json
import socket
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch
from peft import get_peft_model
from test_rl_trainer import MODULES, PROMPT, Toy, learner, tiny, trainer

from kernelwright.agent.evaluator import Rung, Status, Verdict
from kernelwright.agent.policy import Completion
from kernelwright.agent.trajectory import Trajectory, Turn
from kernelwright.ir.values import KernelModule
from kernelwright.rl.algorithms.objectives import objective, prepare, problems_with_signal
from kernelwright.rl.algorithms.presets import preset
from kernelwright.rl.algorithms.turns import turns_of
from kernelwright.rl.trainer.learner import Learner, LoraSettings, OptimizerSettings
from kernelwright.rl.trainer.packing import Example
from kernelwright.rl.trainer.reinforced import Trainer
from kernelwright.rl.trainer.rl_settings import RlSettings
from kernelwright.rl.trainer.run_log import read_metrics

ROWS = [Example((1, 4, 8), (5, 6, 7)), Example((1, 5, 8), (4, 2))]


def moved(made: Learner, seed: int = 3) -> Learner:
    """The learner with another adapter, as one that was trained before."""
    torch.manual_seed(seed)
    with torch.no_grad():
        for name, parameter in made.model.named_parameters():
            if "lora_B" in name:
                parameter.normal_(0, 0.5)
    return made


@pytest.mark.parametrize(("reference", "expected"), [("start", 0.0), ("base", 0.05)])
def test_kl_is_taken_to_the_adapter_that_training_starts_from(tmp_path: Path, reference: Any, expected: float) -> None:
    algorithm = preset("grpo", kl=0.1, reference=reference)

    def run(steps: int) -> list[dict[str, Any]]:
        toy, settings = Toy(), RlSettings(steps=steps, problems=3)
        Trainer(moved(learner()), MODULES, toy.roll_out, toy.push, algorithm, settings, tmp_path).run()
        return read_metrics(tmp_path)

    rows = run(4)
    assert rows[0]["kl"] == pytest.approx(0, abs=1e-6) if reference == "start" else rows[0]["kl"] > expected
    assert rows[3]["kl"] > 0
    resumed = run(5)[4]["kl"]  # the reference stays where the run began, not where it goes on
    assert resumed > 1e-4


def test_the_reference_is_scored_and_the_adapter_comes_back() -> None:
    made = moved(learner())
    began = made.scored(ROWS).logp
    made.keep_reference()
    moved(made, seed=4)
    now = made.scored(ROWS).logp
    torch.testing.assert_close(made.scored_by_reference(ROWS).logp, began)
    torch.testing.assert_close(made.scored(ROWS).logp, now)
    assert not torch.allclose(now, began)


@pytest.mark.parametrize("checkpointing", [False, True])
def test_the_ratio_of_the_same_weights_is_one_with_an_adapter_that_has_dropout(checkpointing: bool) -> None:
    base = tiny().unload()
    if checkpointing:
        base.gradient_checkpointing_enable({"use_reentrant": False})
        base.enable_input_require_grads()
    model = get_peft_model(base, LoraSettings(rank=8, alpha=16, dropout=0.5).config())
    made = moved(Learner(model, None, OptimizerSettings(), budget=64))
    old = made.scored(ROWS).logp
    torch.testing.assert_close(made.score(ROWS, 1.0, dropout=False).logp, old)
    assert any(layer.training for layer in model.get_base_model().model.layers) == checkpointing
    assert not torch.allclose(made.score(ROWS).logp, old)  # what is learnt by heart has dropout
    torch.testing.assert_close(made.scored(ROWS).logp, old)


def test_an_adapter_is_saved_without_asking_the_hub(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made = learner()
    made.model.peft_config["default"].base_model_name_or_path = "someone/some-model"
    asked = list[Any]()

    def refuse(*address: Any, **_: Any) -> Any:
        asked.append(address)
        raise OSError("no network")

    monkeypatch.setattr(socket, "getaddrinfo", refuse)
    monkeypatch.setattr(socket.socket, "connect", lambda _self, address: refuse(address))
    made.save_adapter(tmp_path)
    assert not asked
    config = json.loads((tmp_path / "adapter_config.json").read_text())
    assert config["base_model_name_or_path"] == "someone/some-model"


@pytest.mark.parametrize("name", ["rloo", "raft"])
def test_later_updates_of_a_batch_have_ratios_and_are_clipped(name: str) -> None:
    """An answer that has become e times as likely teaches no more by its positive advantage."""
    found = [_trajectory(0, place, reward=float(not place)) for place in range(2)]
    old = torch.full((2, 2), -2.0)
    turns = turns_of(found, old)
    algorithm = preset(name)
    prepared = prepare(turns, algorithm)
    assert prepared.advantages[0] > 0
    logp = (old + torch.tensor([[1.0], [0.0]])).requires_grad_()
    loss = objective(turns.with_logp(logp), algorithm, prepared.advantages, prepared.keep, prepared.denominator)
    loss.value.backward()  # type: ignore[no-untyped-call]
    assert logp.grad is not None and not logp.grad[0].any()
    assert loss.statistics()["ratio"] > 1.5


def _trajectory(problem: int, place: int, reward: float, finish: Any = "stop", tokens: int = 2) -> Trajectory:
    answer = Completion("", finish, "toy", (1,), (4 + place,) * tokens, (-2.0,) * tokens)
    turn = Turn(PROMPT, answer, None, Verdict(Status.UNPARSED, Rung.PARSE), reward)
    return Trajectory(problem, MODULES[problem], (turn,))


def test_truncated_answers_are_masked_where_that_is_asked_for() -> None:
    made = [_trajectory(0, 0, 1.0), _trajectory(0, 1, -1.0, "length"), _trajectory(0, 2, -1.0)]
    old = torch.full((3, 2), -2.0)
    assert turns_of(made, old).mask.any(-1).tolist() == [True, True, True]
    turns = turns_of(made, old, mask_truncated=True)
    assert turns.mask.any(-1).tolist() == [True, False, True]
    prepared = prepare(turns, preset("rloo", mask_truncated=True))
    assert prepared.denominator == 2  # rows that are left
    assert prepared.advantages.tolist() == pytest.approx([2.0, -1.0, -1.0])  # its reward still counts in the baseline


class CutOff(Toy):
    """Every answer is cut off."""

    def _turn(self, problem: int, turn: int, generator: torch.Generator) -> Turn:
        made = super()._turn(problem, turn, generator)
        return replace(made, completion=replace(made.completion, finish="length"))


@pytest.mark.parametrize("masked", [False, True])
def test_a_trainer_learns_nothing_from_truncated_answers_where_that_is_asked_for(tmp_path: Path, masked: bool) -> None:
    trainer(tmp_path, CutOff(), preset("grpo", kl=0.0, mask_truncated=masked), steps=2).run()
    assert all((row.get("grad_norm", 0) == 0) == masked for row in read_metrics(tmp_path))


class Sure(Toy):
    """All answers to problems 0 and 1 are worth the same; those of the others differ."""

    def roll_out(self, modules: Sequence[KernelModule], seed: int, over: Callable[[], None]) -> list[Trajectory]:
        made = super().roll_out(modules, seed, over)
        worth = [0.0 if one.module.name in ("p0", "p1") else float(place % 2) for place, one in enumerate(made)]
        return [
            replace(one, turns=(replace(one.turns[0], reward=reward),)) for one, reward in zip(made, worth, strict=True)
        ]


def test_the_first_update_of_a_batch_has_ratios_of_one_whatever_the_adapter_s_dropout(tmp_path: Path) -> None:
    model = get_peft_model(tiny().unload(), LoraSettings(rank=8, alpha=16, dropout=0.5).config())
    made = moved(Learner(model, None, OptimizerSettings(lr=1e-3), budget=64))
    toy, settings = Sure(), RlSettings(steps=3, problems=3)
    Trainer(made, MODULES, toy.roll_out, toy.push, preset("grpo", kl=0.0), settings, tmp_path).run()
    ratios = [row["ratio"] for row in read_metrics(tmp_path) if "ratio" in row]
    assert ratios and ratios == pytest.approx([1.0] * len(ratios), abs=1e-5)


@pytest.mark.parametrize("ahead", [0, 2])
def test_dynamic_sampling_fills_up_what_it_leaves_out(tmp_path: Path, ahead: int) -> None:
    toy = Sure()
    trainer(tmp_path, toy, preset("dapo"), steps=4, ahead=ahead).run()
    for row in read_metrics(tmp_path):
        spent = sum(name in ("p0", "p1") for name in row["problems"])
        rest = len(row["problems"]) - spent
        assert row["refilled"] == len(row["problems"]) - 3
        assert rest == 2 or (rest > 2 and spent == 0)  # there are but two with a signal
        assert len(set(row["problems"])) == len(row["problems"])
    assert any(row["refilled"] for row in read_metrics(tmp_path))
    before = list(toy.asked)
    again = Sure()
    trainer(tmp_path / "again", again, preset("dapo"), steps=4, ahead=ahead).run()
    assert again.asked == before  # it follows from the seed
    plain = Sure()
    trainer(tmp_path / "plain", plain, preset("dapo", refills=0), steps=2).run()
    assert all(len(row["problems"]) == 3 and "refilled" not in row for row in read_metrics(tmp_path / "plain"))


def test_signal_is_counted_by_problem() -> None:
    made = [_trajectory(problem, place, float(problem and place)) for problem in range(3) for place in range(2)]
    assert problems_with_signal(made, preset("dapo")) == 2
    assert problems_with_signal([], preset("dapo")) == 0


def test_a_step_without_any_answer_teaches_nothing_and_ends_nothing(tmp_path: Path) -> None:
    class Silent(Toy):
        def roll_out(self, modules: Sequence[KernelModule], seed: int, over: Callable[[], None]) -> list[Trajectory]:
            return super().roll_out(modules, seed, over) if len(self.asked) else self._none(modules, over)

        def _none(self, modules: Sequence[KernelModule], over: Callable[[], None]) -> list[Trajectory]:
            self.asked.append([module.name for module in modules])
            over()
            return []

    trainer(tmp_path, Silent(), steps=2).run()
    first, second = read_metrics(tmp_path)
    assert (first["turns"], second["turns"]) == (0, 24)
