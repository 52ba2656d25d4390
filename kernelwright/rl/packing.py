"""Log-probabilities of responses, rows of like lengths side by side.

Rows are padded on the right, where causal attention never looks: no mask is needed, so that attention is the fast
kernel of the machine and costs each row its own length squared. Sorted by length, little of it is padding.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor
from torch.nn.utils.rnn import pad_sequence

_ROWS_AT_ONCE = 4096


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
    """What a model makes of response tokens: log-probability and entropy (nats), both (N, T), 0 past the end.

    Entropy is None where it was not asked for."""

    logp: Tensor
    entropy: Tensor | None


def packs(rows: Sequence[Row], budget: int) -> list[list[int]]:
    """Indices of rows that go together, longest first: at most `budget` tokens, padding too, or one longer row."""
    order = sorted(range(len(rows)), key=lambda index: (-len(rows[index]), index))
    found: list[list[int]] = []
    for index in order:
        if not found or (len(found[-1]) + 1) * len(rows[found[-1][0]]) > budget:
            found.append([])
        found[-1].append(index)
    return found


def score(model: Any, rows: Sequence[Row], temperature: float = 1.0, entropy: bool = True) -> Scores:
    """Scores of the rows' responses in one forward pass, with gradients where they are on.

    `model`: a causal language model of transformers, bare or with adapters. T is the longest response's length.
    `temperature` divides the logits, as in sampling.
    """
    parameter = next(model.parameters())
    device, low = parameter.device, parameter.dtype is torch.bfloat16
    ids = pad_sequence([torch.tensor((*row.prompt, *row.response)) for row in rows], batch_first=True)
    which, places, targets = (part.to(device, non_blocking=True) for part in _targets(rows))
    # An adapter in fp32 on a base in bfloat16 computes in bfloat16, as engines that serve it do.
    with torch.autocast(device.type, torch.bfloat16, enabled=low):
        base = model.get_base_model() if hasattr(model, "get_base_model") else model
        states = base.model(input_ids=ids.to(device, non_blocking=True), use_cache=False).last_hidden_state
        logits = base.lm_head(states[which, places])  # the head runs on these places alone
    logits = logits.float()
    if temperature != 1.0:
        logits = logits / temperature
    chosen = -torch.nn.functional.cross_entropy(logits, targets, reduction="none")
    return Scores(_unpacked(chosen, rows), _unpacked(_entropy(logits.detach()), rows) if entropy else None)


def _entropy(logits: Tensor) -> Tensor:
    """(P,) in nats, of (P, V), part by part: the copies that it needs are as large as the logits."""
    parts = []
    for part in torch.split(logits, _ROWS_AT_ONCE):
        logs = torch.log_softmax(part, -1)
        parts.append(-(logs.exp() * logs).sum(-1))
    return torch.cat(parts)


def _targets(rows: Sequence[Row]) -> tuple[Tensor, Tensor, Tensor]:
    """In which row and at which place of it each response token is predicted, and which it is; (P,) each."""
    which: list[int] = []
    places: list[int] = []
    for index, row in enumerate(rows):
        which += [index] * len(row.response)
        places += range(len(row.prompt) - 1, len(row) - 1)
    return torch.tensor(which), torch.tensor(places), torch.tensor([token for row in rows for token in row.response])


def _unpacked(values: Tensor, rows: Sequence[Row]) -> Tensor:
    """(P,) as (N, T), zero past the end of each row."""
    parts = torch.split(values, [len(row.response) for row in rows])
    return pad_sequence(list(parts), batch_first=True)


def scored(model: Any, rows: Sequence[Row], groups: Sequence[Sequence[int]], temperature: float = 1.0) -> Scores:
    """Scores without gradients of the rows in some packs, (N, T) in the rows' order; 0 for rows in none.

    An empty pack is a forward pass for nothing, which processes that share the model wait for.
    """
    width = max(len(row.response) for row in rows)
    device = next(model.parameters()).device
    logp, entropy = (torch.zeros(len(rows), width, device=device) for _ in range(2))
    with torch.no_grad():
        for chosen in groups:
            found = score(model, [rows[index] for index in chosen or (0,)], temperature)
            if chosen and found.entropy is not None:
                span = found.logp.shape[1]
                logp[chosen, :span], entropy[chosen, :span] = found.logp, found.entropy
    return Scores(logp, entropy)


def response_mask(rows: Sequence[Row]) -> Tensor:
    """(N, T) bool: which places hold a response's tokens."""
    lengths = torch.tensor([len(row.response) for row in rows])
    return torch.arange(int(lengths.max()))[None, :] < lengths[:, None]
