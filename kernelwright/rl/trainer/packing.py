"""Log-probabilities of responses, lines of like lengths side by side.

A line is a row, or a prompt and, one after another, the responses of several rows to it, none of which sees another:
the answers of a group cost their prompt once. Lines are padded on the right, where causal attention never looks: lines
of one row need no mask, so that attention is the fast kernel of the machine and costs each row its own length squared.
Sorted by length, little of it is padding.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any

import torch
from torch import Tensor
from torch.nn.utils.rnn import pad_sequence

_ROWS_AT_ONCE = 4096
#: Tokens of a line of several rows at most: attention costs it the square of that.
_LONGEST_LINE = 2048
#: Models, by transformers' `model_type`, in which a token sees others by attention alone, as a mask lets it.
_MASKED = ("llama", "qwen2", "qwen3")


@dataclass(frozen=True)
class Example:
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


def shares_prompts(model: Any) -> bool:
    """Whether a causal model of transformers, bare or with adapters, scores several responses to a prompt in a line."""
    config = model.config
    known = config.model_type in _MASKED and config._attn_implementation == "sdpa"
    return known and "sliding_attention" not in (getattr(config, "layer_types", None) or ())


def lines(rows: Sequence[Example], shared: bool) -> list[list[int]]:
    """Indices of the rows of each line: those of one prompt, in order, as far as a line goes; else each row alone."""
    if not shared:
        return [[index] for index in range(len(rows))]
    found: list[list[int]] = []
    going: dict[tuple[int, ...], list[int]] = {}
    for index, row in enumerate(rows):
        line = going.get(row.prompt, [])
        if not line or _length(rows, line) + len(row.response) > _LONGEST_LINE:
            line = going[row.prompt] = []
            found.append(line)
        line.append(index)
    return found


def longest_first(rows: Sequence[Example], shared: bool) -> list[tuple[int, list[int]]]:
    """The lines with their lengths in tokens."""
    return sorted(((_length(rows, line), line) for line in lines(rows, shared)), key=lambda one: (-one[0], one[1]))


def _length(rows: Sequence[Example], line: Sequence[int]) -> int:
    """Tokens of one prompt and of all its responses."""
    return len(rows[line[0]].prompt) + sum(len(rows[index].response) for index in line)


def packs(rows: Sequence[Example], budget: int, shared: bool = False) -> list[list[int]]:
    """Indices of rows that go together, longest lines first: at most `budget` tokens, padding too, or one longer line.

    With `shared` rows of one prompt share lines.
    """
    found: list[list[list[int]]] = []
    longest = 0
    for length, line in longest_first(rows, shared):
        if not found or (len(found[-1]) + 1) * longest > budget:
            found.append([])
            longest = length
        found[-1].append(line)
    return [list(chain.from_iterable(pack)) for pack in found]


def score(model: Any, rows: Sequence[Example], temperature: float = 1.0, entropy: bool = True) -> Scores:
    """Scores of the rows' responses in one forward pass, with gradients where they are on.

    `model`: a causal language model of transformers, bare or with adapters. T is the longest response's length.
    `temperature` divides the logits, as in sampling.
    """
    parameter = next(model.parameters())
    device, low = parameter.device, parameter.dtype is torch.bfloat16
    sheet = _laid_out(rows, lines(rows, shares_prompts(model)))
    which, places, targets = (part.to(device, non_blocking=True) for part in sheet.asked)
    # An adapter in fp32 on a base in bfloat16 computes in bfloat16, as engines that serve it do.
    with torch.autocast(device.type, torch.bfloat16, enabled=low):
        base = model.get_base_model() if hasattr(model, "get_base_model") else model
        states = base.model(**sheet.inputs(device), use_cache=False).last_hidden_state
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


@dataclass(frozen=True)
class _Sheet:
    """Lines as tensors, (B, L), padded with zeros; `asked` says of each response token, in the order of the rows, in
    which line and at which place of it it is predicted, and which it is; (P,) each.

    `part` is 0 in the prompt and n in the n-th response of a line; where no line has two, it is not looked at.
    """

    ids: Tensor
    position: Tensor
    part: Tensor
    asked: tuple[Tensor, Tensor, Tensor]
    alone: bool

    def inputs(self, device: torch.device) -> dict[str, Tensor]:
        """What the model is given."""
        ids = self.ids.to(device, non_blocking=True)
        if self.alone:
            return {"input_ids": ids}
        part = self.part.to(device, non_blocking=True)
        own_bll = (part[:, None, :] == 0) | (part[:, None, :] == part[:, :, None])
        position = self.position.to(device, non_blocking=True)
        return {"input_ids": ids, "position_ids": position, "attention_mask": own_bll.tril()[:, None]}


def _laid_out(rows: Sequence[Example], groups: Sequence[Sequence[int]]) -> _Sheet:
    """The lines of some rows. The last token of a response has nothing to predict, and is left out of a shared line."""
    ids, positions, parts = list[Tensor](), list[Tensor](), list[Tensor]()
    asked: dict[int, tuple[int, list[int]]] = {}
    alone = all(len(group) == 1 for group in groups)
    for number, group in enumerate(groups):
        prompt = rows[group[0]].prompt
        tokens, position, part = list(prompt), list(range(len(prompt))), [0] * len(prompt)
        for place, index in enumerate(group, 1):
            seen = rows[index].response[:-1]
            asked[index] = number, [len(prompt) - 1, *range(len(tokens), len(tokens) + len(seen))]
            tokens += seen
            position += range(len(prompt), len(prompt) + len(seen))
            part += [place] * len(seen)
        for held, given in zip((ids, positions, parts), (tokens, position, part), strict=True):
            held.append(torch.tensor(given))
    which = [asked[index][0] for index, row in enumerate(rows) for _ in row.response]
    places = [place for index in range(len(rows)) for place in asked[index][1]]
    targets = [token for row in rows for token in row.response]
    first, second, third = (pad_sequence(one, batch_first=True) for one in (ids, positions, parts))
    return _Sheet(first, second, third, (torch.tensor(which), torch.tensor(places), torch.tensor(targets)), alone)


def _unpacked(values: Tensor, rows: Sequence[Example]) -> Tensor:
    """(P,) as (N, T), zero past the end of each row."""
    parts = torch.split(values, [len(row.response) for row in rows])
    return pad_sequence(list(parts), batch_first=True)


def scored(model: Any, rows: Sequence[Example], groups: Sequence[Sequence[int]], temperature: float = 1.0) -> Scores:
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


def response_mask(rows: Sequence[Example]) -> Tensor:
    """(N, T) bool: which places hold a response's tokens."""
    lengths = torch.tensor([len(row.response) for row in rows])
    return torch.arange(int(lengths.max()))[None, :] < lengths[:, None]
