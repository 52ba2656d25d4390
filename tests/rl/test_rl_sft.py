"""Supervised warm start on a tiny model: it learns, and a killed run goes on exactly where it was."""

import json
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
from peft import get_peft_model
from transformers import LlamaConfig, LlamaForCausalLM

from kernelwright.ir.errors import UserError
from kernelwright.rl.trainer.learner import DivergedError, Learner, LoraSettings, OptimizerSettings, open_model
from kernelwright.rl.trainer.packing import Example
from kernelwright.rl.trainer.run_log import RunLog, read_metrics
from kernelwright.rl.trainer.sft import likelihood_loss, train_sft
from kernelwright.rl.trainer.sft_settings import SftSettings

#: Answer with the prompt's second token, then the end token 1.
ROWS = [Example((2, token), (token, 1)) for token in range(3, 15)]


def tiny(seed: int = 0) -> Any:
    torch.manual_seed(seed)
    config = LlamaConfig(
        vocab_size=16,
        hidden_size=32,
        intermediate_size=64,
        num_hidden_layers=2,
        num_attention_heads=2,
        num_key_value_heads=2,
        initializer_range=0.3,
    )
    return LlamaForCausalLM(config)


def learner(lr: float = 6e-3, budget: int = 64) -> Learner:
    model = tiny()
    torch.manual_seed(1)
    adapted = get_peft_model(model, LoraSettings(rank=8, alpha=16).config())
    return Learner(adapted, None, OptimizerSettings(lr=lr), budget=budget)


def weights(trained: Learner) -> list[torch.Tensor]:
    return [p.detach().clone() for p in trained.model.parameters() if p.requires_grad]


def test_pairs_are_learnt(tmp_path: Path) -> None:
    student = learner()
    before = likelihood_loss(student, ROWS)
    metrics = train_sft(student, ROWS, SftSettings(epochs=60, batch=4), tmp_path, held_out=ROWS)
    assert before > 2
    assert metrics["held_out_loss"] < 0.3
    rows = read_metrics(tmp_path)
    assert [row["step"] for row in rows] == list(range(180))
    assert rows[-1]["loss"] < rows[0]["loss"] / 3
    assert (tmp_path / "adapter" / "adapter_model.safetensors").is_file()


def test_packs_change_nothing(tmp_path: Path) -> None:
    whole, packed = learner(budget=1000), learner(budget=8)
    for number, student in enumerate((whole, packed)):
        train_sft(student, ROWS, SftSettings(epochs=1, batch=6), tmp_path / str(number))
    for one, other in zip(weights(whole), weights(packed), strict=True):
        torch.testing.assert_close(one, other, atol=1e-4, rtol=1e-3)


def test_a_run_that_is_killed_goes_on_as_if_it_had_not_been(tmp_path: Path) -> None:
    settings = SftSettings(epochs=3, batch=5, save_every=2)
    steady = learner()
    train_sft(steady, ROWS, settings, tmp_path / "steady")

    def kill(at: int) -> Callable[[int, int, Any], None]:
        def tell(step: int, _steps: int, _metrics: Any) -> None:
            if step == at:
                raise KeyboardInterrupt

        return tell

    with pytest.raises(KeyboardInterrupt):
        train_sft(learner(), ROWS, settings, tmp_path / "cut", tell=kill(5))
    resumed = learner()
    train_sft(resumed, ROWS, settings, tmp_path / "cut")
    for one, other in zip(weights(steady), weights(resumed), strict=True):
        torch.testing.assert_close(one, other)
    losses = [[row["loss"] for row in read_metrics(tmp_path / name)] for name in ("steady", "cut")]
    assert losses[0] == pytest.approx(losses[1])


def test_steps_go_through_the_data() -> None:
    assert SftSettings(epochs=2, batch=5).steps(12) == 5
    assert SftSettings(epochs=3, batch=4).steps(12) == 9


def test_a_loss_that_is_no_number_ends_the_run_and_keeps_the_weights(tmp_path: Path) -> None:
    student = learner()
    train_sft(student, ROWS, SftSettings(epochs=1, batch=6), tmp_path)
    before = weights(student)
    with torch.no_grad():
        student.model.get_base_model().lm_head.weight[0, 0] = math.nan
    student.steps, again = 4, SftSettings(epochs=2, batch=6)
    with pytest.raises(DivergedError, match="the loss is nan"):
        train_sft(student, ROWS, again, tmp_path)
    for one, other in zip(before, weights(student), strict=True):
        torch.testing.assert_close(one, other)


def test_nothing_to_learn_from_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="no pairs"):
        train_sft(learner(), [], SftSettings(), tmp_path)


def test_rates_rise_and_fall() -> None:
    settings = OptimizerSettings(lr=1.0, warmup=3, schedule="cosine")
    rates = [settings.rate(step, 10) for step in range(11)]
    assert rates[0] == 0.25
    assert max(rates) == rates[3] == 1.0
    assert rates == [*sorted(rates[:4]), *sorted(rates[4:], reverse=True)]
    assert OptimizerSettings(lr=1.0).rate(99, 10) == 1.0


def test_a_new_adapter_changes_nothing() -> None:
    student = learner()
    torch.testing.assert_close(student.scored_by_base(ROWS).logp, student.scored(ROWS).logp)


def test_models_and_adapters_are_opened(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="cannot be read"):
        open_model(tmp_path / "none", LoraSettings())


def test_metrics_of_steps_taken_again_are_dropped(tmp_path: Path) -> None:
    log = RunLog(tmp_path)
    for step in range(4):
        log.write(step, {"loss": float(step)})
    log.close()
    with (tmp_path / "metrics.jsonl").open("a") as file:
        file.write('{"step": 4, "lo')
    again = RunLog(tmp_path, step=2)
    again.write(2, {"loss": 20.0})
    again.close()
    assert [(row["step"], row["loss"]) for row in read_metrics(tmp_path)] == [(0, 0.0), (1, 1.0), (2, 20.0)]
    assert all(json.loads(line) for line in (tmp_path / "metrics.jsonl").read_text().splitlines())
