"""Log-probabilities of responses, several rows packed into one sequence so that no computation goes into padding.

Rows that share a sequence do not see one another: positions start again at 0 with each, from which transformers builds
a block-diagonal causal mask (tried with transformers 5.19, attention `sdpa` and `eager`).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor


@dataclass(frozen=True)
class Row:
    """A prompt and the response to it, as token ids; the response is not empty."""

    prompt: tuple[int, ...]
    response: tuple[int, ...]

    def __post_init__(self) -> None:
        if not self.prompt or not self.response:
            raise ValueError("a row has a prompt and a response")

    def __len__(self) -> int:
        return len(self.prompt) + len(self.response)


@dataclass(frozen=True)
class Scores:
    """What a model makes of response tokens: log-probability and entropy (nats), both (N, T), 0 past the end."""

    logp: Tensor
    entropy: Tensor


def packs(rows: Sequence[Row], budget: int) -> list[list[int]]:
    """Indices of rows that go together: at most `budget` tokens each, or one row that is longer; longest first."""
    order = sorted(range(len(rows)), key=lambda index: (-len(rows[index]), index))
    found: list[list[int]] = []
    room: list[int] = []
    for index in order:
        place = next((place for place, left in enumerate(room) if left >= len(rows[index])), None)
        if place is None:
            found.append([])
            room.append(budget)
            place = len(found) - 1
        found[place].append(index)
        room[place] -= len(rows[index])
    return found


def score(model: Any, rows: Sequence[Row], temperature: float = 1.0) -> Scores:
    """Scores of the rows' responses in one forward pass, with gradients where they are on.

    `model`: a causal language model of transformers, bare or with adapters. T is the longest response's length.
    `temperature` divides the logits, as in sampling.
    """
    device = next(model.parameters()).device
    ids = torch.tensor([token for row in rows for token in (*row.prompt, *row.response)], device=device)
    positions = torch.cat([torch.arange(len(row), device=device) for row in rows])
    places, targets = _targets(rows)
    logits = _logits(model, ids, positions, places.to(device)) / temperature
    logs = torch.log_softmax(logits, -1)
    chosen = logs.gather(-1, targets.to(device)[:, None])[:, 0]
    entropy = -(logs.detach().exp() * logs.detach()).sum(-1)
    return Scores(_unpacked(chosen, rows), _unpacked(entropy, rows))


def _logits(model: Any, ids: Tensor, positions: Tensor, places: Tensor) -> Tensor:
    """Logits (P, V) in fp32 at some places of one packed sequence; the head runs on these alone."""
    base = model.get_base_model() if hasattr(model, "get_base_model") else model
    states = base.model(input_ids=ids[None], position_ids=positions[None], use_cache=False).last_hidden_state
    logits: Tensor = base.lm_head(states[0, places])
    return logits.float()


def _targets(rows: Sequence[Row]) -> tuple[Tensor, Tensor]:
    """Where the response tokens are predicted in the packed sequence, and which they are."""
    places: list[int] = []
    start = 0
    for row in rows:
        first = start + len(row.prompt) - 1
        places += range(first, first + len(row.response))
        start += len(row)
    return torch.tensor(places), torch.tensor([token for row in rows for token in row.response])


def _unpacked(values: Tensor, rows: Sequence[Row]) -> Tensor:
    """(P,) as (N, T), zero past the end of each row."""
    parts = torch.split(values, [len(row.response) for row in rows])
    return torch.nn.utils.rnn.pad_sequence(list(parts), batch_first=True)


def scored(model: Any, rows: Sequence[Row], budget: int, temperature: float = 1.0) -> Scores:
    """Scores of all rows without gradients, packed by the budget; (N, T) in the rows' order."""
    width = max(len(row.response) for row in rows)
    device = next(model.parameters()).device
    logp, entropy = (torch.zeros(len(rows), width, device=device) for _ in range(2))
    with torch.no_grad():
        for chosen in packs(rows, budget):
            found = score(model, [rows[index] for index in chosen], temperature)
            span = found.logp.shape[1]
            logp[chosen, :span], entropy[chosen, :span] = found.logp, found.entropy
    return Scores(logp, entropy)


def response_mask(rows: Sequence[Row]) -> Tensor:
    """(N, T) bool: which places hold a response's tokens."""
    lengths = torch.tensor([len(row.response) for row in rows])
    return torch.arange(int(lengths.max()))[None, :] < lengths[:, None]
