"""Rows side by side: the same log-probabilities as one by one, little padding, no row that sees another."""

from typing import Any

import pytest
import torch
from transformers import LlamaConfig, LlamaForCausalLM

from kernelwright.rl.trainer.packing import Example, lines, packs, response_mask, score, scored, shares_prompts


@pytest.fixture(scope="module", params=["sdpa", "eager"])
def model(request: pytest.FixtureRequest) -> Any:
    torch.manual_seed(0)
    config = LlamaConfig(
        vocab_size=50,
        hidden_size=32,
        intermediate_size=64,
        num_hidden_layers=2,
        num_attention_heads=4,
        num_key_value_heads=2,
        attn_implementation=request.param,
    )
    return LlamaForCausalLM(config).eval()


ROWS = [
    Example((1, 2, 3), (4, 5)),
    Example((7,), (8, 9, 10, 11)),
    Example((12, 13, 14, 15, 16), (17,)),
    Example((20, 21), (22, 23, 24)),
]


def one_by_one(model: Any, row: Example) -> torch.Tensor:
    ids = torch.tensor([[*row.prompt, *row.response]])
    logs = torch.log_softmax(model(input_ids=ids).logits[0].float(), -1)
    places = range(len(row.prompt) - 1, len(row) - 1)
    return torch.stack([logs[place, token] for place, token in zip(places, row.response, strict=True)])


def test_packed_rows_are_scored_as_alone(model: Any) -> None:
    found = score(model, ROWS)
    assert found.logp.shape == (4, 4)
    for index, row in enumerate(ROWS):
        expected = one_by_one(model, row)
        torch.testing.assert_close(found.logp[index, : len(expected)], expected, atol=1e-5, rtol=1e-5)
        assert (found.logp[index, len(expected) :] == 0).all()
    torch.testing.assert_close(scored(model, ROWS, packs(ROWS, 8)).logp, found.logp.detach(), atol=1e-5, rtol=1e-5)


GROUPS = [
    Example((1, 2, 3), (4, 5)),
    Example((7, 8), (9, 10, 11, 12)),
    Example((1, 2, 3), (6,)),
    Example((1, 2, 3), (4, 5)),
    Example((7, 8), (13, 14)),
]


def test_rows_of_one_prompt_share_a_line_and_are_scored_as_alone(model: Any) -> None:
    shared = shares_prompts(model)
    assert shared is (model.config._attn_implementation == "sdpa")
    assert lines(GROUPS, True) == [[0, 2, 3], [1, 4]]
    found = score(model, GROUPS)
    for index, row in enumerate(GROUPS):
        expected = one_by_one(model, row)
        torch.testing.assert_close(found.logp[index, : len(expected)], expected, atol=1e-5, rtol=1e-5)
    assert packs(GROUPS, 8, True) == [[0, 2, 3], [1, 4]]
    assert packs(GROUPS, 16, True) == [[0, 2, 3, 1, 4]]
    torch.testing.assert_close(
        scored(model, GROUPS, packs(GROUPS, 8, shared)).logp, found.logp.detach(), atol=1e-5, rtol=1e-5
    )
    embedded = model.get_input_embeddings().weight
    (gradient,) = torch.autograd.grad(found.logp[2].sum() + found.logp[4].sum(), embedded)
    touched = set(gradient.abs().sum(-1).nonzero()[:, 0].tolist())
    seen = {1, 2, 3, 7, 8, 13}  # prompts, and what comes before the last tokens
    assert touched & set(range(1, 15)) >= seen
    alone = torch.autograd.grad(score(model, GROUPS[2:3]).logp.sum() + score(model, GROUPS[4:]).logp.sum(), embedded)
    torch.testing.assert_close(gradient, alone[0], atol=1e-5, rtol=1e-4)


def test_a_line_goes_so_far() -> None:
    rows = [Example((1,) * 1000, (2,) * 500) for _ in range(5)]
    assert lines(rows, True) == [[0, 1], [2, 3], [4]]
    assert lines([Example((1,) * 3000, (2,)), Example((1,) * 3000, (3,))], True) == [[0], [1]]


def test_gradients_reach_the_model_and_only_through_its_own_row(model: Any) -> None:
    embedded = model.get_input_embeddings().weight
    (gradient,) = torch.autograd.grad(score(model, ROWS[:2]).logp[0].sum(), embedded)
    touched = set(gradient.abs().sum(-1).nonzero()[:, 0].tolist())
    assert touched & {1, 2, 3, 4} == {1, 2, 3, 4}
    assert not touched & {7, 8, 9, 10, 11}


def test_temperature_divides_the_logits(model: Any) -> None:
    cold, warm = score(model, ROWS, 0.1), score(model, ROWS, 10.0)
    assert cold.entropy[response_mask(ROWS)].mean() < warm.entropy[response_mask(ROWS)].mean()


def test_packs_hold_every_row_once_and_keep_to_the_budget() -> None:
    rows = [Example((0,) * (1 + i % 7), (0,) * (1 + i % 5)) for i in range(40)]
    found = packs(rows, 12)
    assert sorted(index for pack in found for index in pack) == list(range(40))
    assert all(len(pack) * max(len(rows[index]) for index in pack) <= 12 for pack in found)
    lengths = [[len(rows[index]) for index in pack] for pack in packs(rows, 60)]
    padding = sum(len(pack) * max(pack) - sum(pack) for pack in lengths)
    assert padding < 0.15 * sum(map(len, rows))
    assert packs([Example((0,) * 30, (1,))], 12) == [[0]]  # longer than the budget, alone


def test_rows_without_a_response_are_refused() -> None:
    with pytest.raises(ValueError, match="a prompt and a response"):
        Example((1,), ())
