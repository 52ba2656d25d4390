"""Rows of tokens that a causal model makes longer, side by side, with a key-value cache.

Two forms of one thing: lanes that grow and shrink with what they hold, and lanes of fixed size, whose step is a CUDA
graph. A small model takes ten times longer to launch than to compute, so that graphs pay although lanes that have ended
go on beside the others, until those that are left fit into fewer.
"""

from collections.abc import Callable, Sequence
from typing import Any, Protocol

import torch
from torch import Tensor

#: Columns that fixed lanes attend to come in multiples of this: each multiple is a graph of its own.
_COLUMNS = 64
#: How many times fewer fixed lanes are next, each with graphs of their own, and the fewest.
_FEWER, _FEWEST = 4, 8


class Lanes(Protocol):
    """Some rows after their prompts. `logits_bv` are of what follows the last token of each."""

    logits_bv: Tensor

    def keep(self, going: Sequence[int]) -> "Lanes":
        """The lanes in which those rows go on alone, by their places among those that do so now: these, or others in
        their place."""

    def feed(self, tokens_b1: Tensor) -> None:
        """Give each row one more token."""


class GrowingLanes:
    """Any number of rows, on any device."""

    def __init__(self, model: Any, prompts: Sequence[Sequence[int]], places: Sequence[int]) -> None:
        """`places` says which prompt a row follows; each prompt is read once."""
        self._model = model
        ids_bp, mask_bp = _left_padded(prompts, model.device)
        position_bp = (mask_bp.cumsum(-1) - 1).clamp(min=0)
        self._cache: Any = None
        self.logits_bv = torch.empty(0)
        self._run(ids_bp, mask_bp, position_bp)
        self.position_b1 = position_bp[:, -1:]
        self.mask_bp = mask_bp
        self._select(torch.tensor(places, device=model.device))

    def keep(self, going: Sequence[int]) -> Lanes:
        self._select(torch.tensor(going, device=self._model.device))
        return self

    def feed(self, tokens_b1: Tensor) -> None:
        self.mask_bp, self.position_b1 = torch.nn.functional.pad(self.mask_bp, (0, 1), value=1), self.position_b1 + 1
        self._run(tokens_b1, self.mask_bp, self.position_b1)

    def keys_and_values(self) -> list[tuple[Tensor, Tensor]]:
        """Of each layer, (B, H, P, D)."""
        return [(layer.keys, layer.values) for layer in self._cache.layers]

    def _select(self, places: Tensor) -> None:
        self._cache.batch_select_indices(places)
        self.mask_bp, self.position_b1 = self.mask_bp[places], self.position_b1[places]
        self.logits_bv = self.logits_bv[places]

    def _run(self, ids: Tensor, mask_bp: Tensor, position: Tensor) -> None:
        out = _forward(self._model, ids, mask_bp, position, self._cache)
        self._cache, self.logits_bv = out.past_key_values, out.logits[:, -1]


class FixedLanes:
    """At most `count` rows of at most `columns` tokens, prompt included; `start` begins others in their place.

    The model's weights may change between steps, their addresses may not. `graphs` False steps without any.
    """

    logits_bv: Tensor

    def __init__(self, model: Any, count: int, columns: int, graphs: bool) -> None:
        self._model, self.count, self.columns = model, count, _rounded(columns)
        self._graphs: dict[int, Callable[[], None]] | None = {} if graphs else None
        device = model.device
        self._tokens_b1, self._position_b1 = (torch.zeros(count, 1, dtype=torch.long, device=device) for _ in range(2))
        self._column_1 = torch.zeros(1, dtype=torch.long, device=device)
        self._mask_b11c = torch.zeros(count, 1, 1, self.columns, dtype=torch.bool, device=device)
        self._layers: list[tuple[Tensor, Tensor]] = []
        self._out_bv = torch.empty(0)
        self._length = 0
        self._places = torch.arange(0)
        self._fewer: FixedLanes | None = None

    def start(self, prompts: Sequence[Sequence[int]], places: Sequence[int]) -> None:
        """Begin `count` or fewer rows, as `GrowingLanes` takes them."""
        read = GrowingLanes(self._model, prompts, range(len(prompts)))
        chosen = torch.tensor(places, device=self._model.device)
        self.logits_bv = read.logits_bv[chosen]
        self._take(read.mask_bp.bool(), read.position_b1, read.keys_and_values(), chosen)

    def keep(self, going: Sequence[int]) -> Lanes:
        kept = torch.tensor(going, device=self._model.device)
        self._places, self.logits_bv = self._places[kept], self.logits_bv[kept]
        count = -(-self.count // _FEWER)
        if len(going) > count or count < _FEWEST:
            return self
        if self._fewer is None:
            self._fewer = FixedLanes(self._model, count, self.columns, graphs=self._graphs is not None)
        mask_bp = self._mask_b11c[:, 0, 0, : self._length]
        self._fewer._take(mask_bp, self._position_b1, self._layers, self._places)
        self._fewer.logits_bv = self.logits_bv
        return self._fewer

    def _take(
        self, mask_bp: Tensor, position_b1: Tensor, layers: Sequence[tuple[Tensor, Tensor]], chosen: Tensor
    ) -> None:
        """Hold `count` or fewer rows, those that are chosen of what others hold in their first P columns."""
        everywhere = torch.cat([chosen, chosen[:1].expand(self.count - len(chosen))])
        self._length = width = mask_bp.shape[1]
        self._mask_b11c.zero_()
        self._mask_b11c[:, 0, 0, :width] = mask_bp[everywhere]
        self._position_b1.copy_(position_b1[everywhere])
        self._column_1.fill_(width - 1)
        for place, (keys, values) in enumerate(layers):
            if place == len(self._layers):
                shape = (self.count, keys.shape[1], self.columns, keys.shape[3])
                self._layers.append((keys.new_zeros(shape), values.new_zeros(shape)))
            for held, given in zip(self._layers[place], (keys, values), strict=True):
                held[:, :, :width] = given[everywhere, :, :width]
        self._places = torch.arange(len(chosen), device=self._model.device)

    def feed(self, tokens_b1: Tensor) -> None:
        self._tokens_b1.index_copy_(0, self._places, tokens_b1)
        self._position_b1 += 1
        self._column_1 += 1
        self._length += 1
        seen = _rounded(self._length)
        if self._graphs is None:
            self._step(seen)
        else:
            if seen not in self._graphs:
                self._graphs[seen] = self._captured(seen)
            self._graphs[seen]()
        self.logits_bv = self._out_bv[self._places]

    def _step(self, seen: int) -> None:
        """One token of every row, which attends to the first `seen` columns; doing it twice changes nothing."""
        self._mask_b11c.index_fill_(3, self._column_1, True)
        cache = _Columns(self._layers, self._column_1, seen)
        mask_b11s = self._mask_b11c[..., :seen]
        out = _forward(self._model, self._tokens_b1, mask_b11s, self._position_b1, cache).logits[:, -1]
        if self._out_bv.shape != out.shape:
            self._out_bv = torch.empty_like(out)
        self._out_bv.copy_(out)

    def _captured(self, seen: int) -> Callable[[], None]:
        """The step as a graph; other threads may launch meanwhile."""
        self._step(seen)  # what libraries do at their first call is no part of a graph
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph, capture_error_mode="thread_local"):
            self._step(seen)
        replay: Callable[[], None] = graph.replay
        return replay


class _Columns:
    """The cache of fixed lanes, as transformers' attention asks for it: a token goes into one column of all rows."""

    is_compileable = False

    def __init__(self, layers: Sequence[tuple[Tensor, Tensor]], column_1: Tensor, seen: int) -> None:
        self._layers, self._column_1, self._seen = layers, column_1, seen

    def update(
        self, keys: Tensor, values: Tensor, layer_idx: int, *_args: Any, **_kwargs: Any
    ) -> tuple[Tensor, Tensor]:
        """Both of all columns there are, (B, H, C, D)."""
        for held, given in zip(self._layers[layer_idx], (keys, values), strict=True):
            held.index_copy_(2, self._column_1, given)
        all_keys, all_values = self._layers[layer_idx]
        return all_keys[:, :, : self._seen], all_values[:, :, : self._seen]

    def get_seq_length(self, _layer_idx: int = 0) -> int:
        """Columns, for positions, which are given here."""
        return self._seen


def _forward(model: Any, ids: Tensor, mask: Tensor, position: Tensor, cache: Any) -> Any:
    """What transformers gives of the last tokens: `logits`, and `past_key_values`, which has them now."""
    return model(
        input_ids=ids,
        attention_mask=mask,
        position_ids=position,
        past_key_values=cache,
        use_cache=True,
        logits_to_keep=1,
    )


def _rounded(columns: int) -> int:
    return -(-columns // _COLUMNS) * _COLUMNS


def _left_padded(sequences: Sequence[Sequence[int]], device: torch.device) -> tuple[Tensor, Tensor]:
    """(B, P) ids and (B, P) mask of sequences that all end in the last column."""
    width = max(map(len, sequences))
    ids = [[0] * (width - len(one)) + list(one) for one in sequences]
    mask = [[0] * (width - len(one)) + [1] * len(one) for one in sequences]
    return torch.tensor(ids, device=device), torch.tensor(mask, device=device)
