"""Every algorithm learns a game whose best play is known, and what is wrong on purpose does not.

The policy is a table of logits, 240 in all, for the next of four tokens by prompt, situation and last token. Of two
turns the first makes the second worth something, but another answer to it pays a little at once:

    turn 0   plan: 0 now, and turn 1 counts;  quick: 0.05 now, and turn 1 is worth nothing;  else: -0.5
    turn 1   the prompt's token and an end: 1;  the token and more: 0.5;  else: 0

The game of one turn is the second, with -1 for wrong answers. The value of a policy is exact, its optimum is 1.
"""

from dataclasses import replace
from typing import Any

import pytest
import torch
from torch import Tensor

from kernelwright.rl.algorithms.algorithm import Algorithm
from kernelwright.rl.algorithms.objectives import Prepared, objective, prepare
from kernelwright.rl.algorithms.presets import PRESETS
from kernelwright.rl.algorithms.turns import Turns

pytestmark = pytest.mark.slow

PROMPTS, SAMPLES, TOKENS, WIDTH = 4, 16, 4, 3
END, PLAN, QUICK = 0, 1, 2
OPENING, READY, LOST = range(3)
TARGET = torch.tensor([1, 2, 3, 2])
MULTI_TURN = ("trloo", "dr_kernel", "kevin")


def logits() -> Tensor:
    """(prompt, situation, last token or none, token): uniform."""
    return torch.zeros(PROMPTS, 3, TOKENS + 1, TOKENS, requires_grad=True)


def logp_of(table: Tensor, prompt: Tensor, situation: Tensor, tokens: Tensor) -> Tensor:
    """(N, T) of responses (N, T)."""
    last = torch.cat([torch.full_like(tokens[:, :1], TOKENS), tokens[:, :-1]], 1)
    logs = table.log_softmax(-1)[prompt[:, None], situation[:, None], last]
    return logs.gather(-1, tokens[..., None])[..., 0]


def draw(table: Tensor, prompt: Tensor, situation: Tensor, generator: torch.Generator) -> Tensor:
    """(N, T) tokens; what follows an end is no part of the response."""
    tokens = torch.zeros(len(prompt), WIDTH, dtype=torch.int64)
    last = torch.full((len(prompt),), TOKENS)
    for place in range(WIDTH):
        probabilities = table.detach()[prompt, situation, last].softmax(-1)
        last = tokens[:, place] = torch.multinomial(probabilities, 1, generator=generator)[:, 0]
    return tokens


def answered(tokens: Tensor, prompt: Tensor, wrong: float) -> Tensor:
    right = tokens[:, 0] == TARGET[prompt]
    return torch.where(right, torch.where(tokens[:, 1] == END, 1.0, 0.5), wrong)


def value(table: Tensor, turns: int) -> float:
    """The expected sum of rewards, exactly."""
    p = table.detach().softmax(-1)
    prompts = torch.arange(PROMPTS)
    first, end = p[prompts, READY, TOKENS, TARGET], p[prompts, READY, TARGET, END]
    answer = first * (1 + end) / 2
    if turns == 1:
        return float((answer - (1 - first)).mean())
    plan, quick = p[:, OPENING, TOKENS, PLAN], p[:, OPENING, TOKENS, QUICK]
    return float((plan * answer + 0.05 * quick - 0.5 * (1 - plan - quick)).mean())


def play(table: Tensor, turns: int, generator: torch.Generator) -> tuple[Turns, Tensor, Tensor]:
    """Turns of 16 trajectories for each prompt, with the situations and tokens (N, T) that they were drawn in."""
    prompt = torch.arange(PROMPTS).repeat_interleave(SAMPLES)
    situations, responses, rewards = [], [], []
    ready = torch.full_like(prompt, READY)
    if turns == 2:
        situations.append(torch.full_like(prompt, OPENING))
        responses.append(draw(table, prompt, situations[0], generator))
        plan = responses[0][:, 0]
        rewards.append(torch.where(plan == PLAN, 0.0, torch.where(plan == QUICK, 0.05, -0.5)))
        ready = torch.where(plan == PLAN, READY, LOST)
    situations.append(ready)
    responses.append(draw(table, prompt, ready, generator))
    answer = answered(responses[-1], prompt, -1.0 if turns == 1 else 0.0)
    rewards.append(torch.where(ready == READY, answer, 0.0))
    situation, tokens, reward = torch.cat(situations), torch.cat(responses), torch.cat(rewards)
    old = logp_of(table, prompt.repeat(turns), situation, tokens).detach()
    ended = (tokens == END).long().cumsum(-1) - (tokens == END).long()
    batch = Turns(
        logp=old,
        old_logp=old,
        rollout_logp=old + 1e-3 * torch.randn(old.shape, generator=generator),
        ref_logp=torch.full_like(old, 1 / TOKENS).log(),
        mask=ended == 0,
        reward=reward,
        prompt=prompt.repeat(turns),
        traj=torch.arange(len(prompt)).repeat(turns),
        turn=torch.arange(turns).repeat_interleave(len(prompt)),
        valid=torch.rand(len(reward), generator=generator) > 0.02,
        correct=reward > 0,
        speedup=torch.ones(len(reward)),
        coverage=torch.where(reward == 0.5, 0.35, 1.0),
    )
    return batch, situation, tokens


def train(algorithm: Algorithm, turns: int, steps: int = 60, spoil: Any = lambda prepared: prepared) -> Tensor:
    """A table after some steps, each of two passes over the turns in two micro-batches."""
    algorithm = replace(algorithm, max_len=WIDTH)
    generator = torch.Generator().manual_seed(0)
    table = logits()
    optimizer = torch.optim.Adam([table], lr=0.1)
    for step in range(steps):
        batch, situation, tokens = play(table, turns, generator)
        prepared: Prepared = spoil(prepare(batch, algorithm, seed=step))
        for _ in range(2):
            optimizer.zero_grad()
            for rows in torch.randperm(len(batch), generator=generator).chunk(2):
                part, micro = prepared.select(rows), batch.select(rows)
                micro = micro.with_logp(logp_of(table, micro.prompt, situation[rows], tokens[rows]))
                loss = objective(micro, algorithm, part.advantages, part.keep, part.denominator, part.weights)
                loss.value.backward()
            optimizer.step()
    return table.detach()


def turns_for(name: str) -> int:
    return 2 if name in MULTI_TURN else 1


@pytest.mark.parametrize("name", sorted(PRESETS))
def test_every_preset_learns_the_best_play(name: str) -> None:
    assert value(logits(), turns_for(name)) < 0
    assert value(train(PRESETS[name], turns_for(name)), turns_for(name)) > 0.9


@pytest.mark.parametrize("name", sorted(PRESETS))
def test_the_wrong_sign_learns_the_worst(name: str) -> None:
    turns = turns_for(name)
    table = train(PRESETS[name], turns, 15, lambda prepared: replace(prepared, advantages=-prepared.advantages))
    assert value(table, turns) < value(logits(), turns)


@pytest.mark.parametrize("name", ["grpo", "trloo", "kevin", "cispo"])
def test_advantages_of_other_rows_teach_nothing(name: str) -> None:
    generator, turns = torch.Generator().manual_seed(1), turns_for(name)

    def shuffled(prepared: Prepared) -> Prepared:
        order = torch.randperm(len(prepared.advantages), generator=generator)
        return replace(prepared, advantages=prepared.advantages[order])

    assert value(train(PRESETS[name], turns, spoil=shuffled), turns) < 0.5


def test_the_game_has_faults_and_rejects_of_each_kind() -> None:
    batch, _, _ = play(logits(), 2, torch.Generator().manual_seed(0))
    found = prepare(batch, PRESETS["dr_kernel"]).statistics
    assert 0.9 < found["settled"] < 1
    assert 0.5 < found["kept/band"] < 1
    assert 0.5 < found["kept/prs"] < 1


@pytest.mark.parametrize("name", MULTI_TURN)
def test_without_later_rewards_the_quick_answer_is_learnt(name: str) -> None:
    table = train(replace(PRESETS[name], gamma=0.0), 2)
    opening = table.softmax(-1)[:, OPENING, TOKENS]
    assert (opening[:, QUICK] > 0.8).all()
    assert value(table, 2) < 0.3
