"""A policy of Hugging Face transformers with peft adapters: for machines without vLLM, and for small models.

Draws token by token with a key-value cache, rows of a batch side by side. Log-probabilities are computed as vLLM
computes them with `logprobs_mode="processed_logprobs"`.

In float32 the adapter that answers is folded into the base's weights, which halves the seconds of a token: small models
take longer to launch than to compute. What is left of one that was taken out again is rounding of the last bit. In
bfloat16 folding would round away what an adapter has just learnt, so it stays beside the base there.
"""

import secrets
import threading
from collections.abc import Generator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import torch

from kernelwright.agent.policy import Answer, Completion, PolicyError, Prompt, Sampling, in_order
from kernelwright.backend.measure.turns import DeviceLock
from kernelwright.ir.errors import UserError
from kernelwright.serve.adapters import Adapter, AdapterShelf, version
from kernelwright.serve.attention import share_keys_and_values
from kernelwright.serve.base import base_name, find_base
from kernelwright.serve.chat import chat_ids, check_lengths, cut_at_stop
from kernelwright.serve.closing import Closing
from kernelwright.serve.lanes import FixedLanes, GrowingLanes, Lanes
from kernelwright.serve.optional import require
from kernelwright.serve.sampling import DrawnTokens


@dataclass(frozen=True)
class HfSettings:
    """Which model, how it is held and how many answers are drawn at a time.

    `model` is what `find_base` takes. `dtype` is a name of torch's or "auto": the file's own on a GPU, else float32, as
    processors without bfloat16 take six times as long with it. `device` "auto" is the GPU where there is one. `context`
    bounds prompt and answer in tokens. `fixed` is whether more than half a batch is drawn in lanes of fixed size; None:
    in float32 on a GPU. `template` are options of the model's chat template.
    """

    model: str = "smollm"
    dtype: str = "auto"
    device: str = "auto"
    context: int = 4096
    batch: int = 16
    fixed: bool | None = None
    template: Mapping[str, Any] = field(default_factory=dict)


@dataclass
class _Row:
    """One answer as it grows, the `place`-th of all that are asked for."""

    place: int
    prompt_ids: list[int]
    tokens: list[int]
    logprobs: list[float]
    text: str = ""
    finish: str = ""


class HfPolicy(Closing):
    """Implements `Policy`. Not parallel: threads wait for one another."""

    def __init__(self, settings: HfSettings) -> None:
        transformers = require("transformers", "train")
        self.settings = settings
        folder = find_base(settings.model)
        device = settings.device
        if device == "auto":
            device = "cuda" if torch.cuda.is_available() else "cpu"
        self._tokenizer = transformers.AutoTokenizer.from_pretrained(folder)
        dtype = "float32" if settings.dtype == "auto" and device == "cpu" else settings.dtype
        model = transformers.AutoModelForCausalLM.from_pretrained(folder, dtype=dtype)
        self._base = base_name(settings.model)
        self._model: Any = model.to(device).eval().requires_grad_(False)
        self._folds = self._model.dtype == torch.float32
        self._fixes = self._folds and device != "cpu" if settings.fixed is None else settings.fixed
        if self._fixes:
            share_keys_and_values(self._model)
        self._fixed: FixedLanes | None = None
        # Not the stream of a learner in this process, whose work each token would wait for.
        self._stream: Any = None
        if self._model.device.type == "cuda":
            self._stream = torch.cuda.Stream(device)  # type: ignore[no-untyped-call]
            self._stream.wait_stream(torch.cuda.current_stream(device))
        self._names: dict[Adapter, str] = {}  # peft's
        self._shelf = AdapterShelf()
        self._folded: Adapter | None = None
        self._lock = threading.Lock()
        self._closing = False
        self._turns = DeviceLock(self._model.device)

    def sample(
        self, prompts: Sequence[Prompt], sampling: Sampling, adapter: str | None = None
    ) -> list[list[Completion]]:
        return in_order(self.stream(prompts, sampling, adapter), len(prompts))

    def stream(self, prompts: Sequence[Prompt], sampling: Sampling, adapter: str | None = None) -> Generator[Answer]:
        """Implements `Streaming`: answers of a batch are given as they end."""
        with self._lock:
            self._check_open()
            state = self._shelf.get(adapter)
            with torch.cuda.stream(self._stream):
                self._switch(state)
            asked = [chat_ids(self._tokenizer, prompt, self.settings.template) for prompt in prompts]
            check_lengths(asked, self.settings.context)
            each = [ids for ids in asked for _ in range(sampling.n)]
            rows = [_Row(place, ids, [], []) for place, ids in enumerate(each)]
            generator = torch.Generator(device=self._model.device)
            generator.manual_seed(secrets.randbits(62) if sampling.seed is None else sampling.seed)
            named = version(self._base, state)
            with self._turns.shared():  # what others time on this GPU waits for the answers, and they for it
                for start in range(0, len(rows), self.settings.batch):
                    for row in self._draw(rows[start : start + self.settings.batch], sampling, generator):
                        yield *divmod(row.place, sampling.n), _completion(row, named)

    def load_adapter(self, adapter: str, folder: Path) -> None:
        with self._lock, torch.cuda.stream(self._stream):
            self._check_open()
            state, before = self._shelf.copy(adapter, folder), self._shelf.find(adapter)
            try:
                if before is None or not self._replaced(before, state):
                    self._added(state)
            except (ValueError, RuntimeError) as error:  # target modules or shapes of another model
                self._shelf.drop(state)
                raise UserError(f"the adapter in {folder} does not fit {self._base}: {error}") from error
            self._shelf.put(state)
            if before is not None:
                if (name := self._names.pop(before)) != self._names[state]:
                    self._switch(state)
                    self._model.delete_adapter(name)
                self._shelf.drop(before)

    def _added(self, state: Adapter) -> None:
        # peft registers modules by the adapter's name; those have no dots in their names.
        peft, name = require("peft", "train"), f"{state.name}-{state.number}".replace(".", "-")
        if self._names:
            self._model.load_adapter(str(state.folder), adapter_name=name)
        else:
            self._model, self._fixed = peft.PeftModel.from_pretrained(self._model, state.folder, name), None
        self._model.eval()
        self._names[state] = name

    def _replaced(self, before: Adapter, state: Adapter) -> bool:
        """Put a state's weights where those of the one before are, if they fit: much faster than another adapter."""
        if before.config != state.config:
            return False
        peft, name = require("peft", "train"), self._names[before]
        weights = peft.utils.load_peft_weights(str(state.folder), device=str(self._model.device))
        held = peft.get_peft_model_state_dict(self._model, adapter_name=name, save_embedding_layers=False)
        if {key: value.shape for key, value in held.items()} != {key: value.shape for key, value in weights.items()}:
            return False
        if self._folded == before:
            self._switch(None)
        peft.set_peft_model_state_dict(self._model, weights, adapter_name=name)
        self._names[state] = name
        return True

    def close(self) -> None:
        self._closing = True  # a thread that draws ends at its next token
        with self._lock:
            self._shelf.close()
            self._turns.close()
            self._model = self._fixed = None

    def _check_open(self) -> None:
        if self._closing:
            raise PolicyError("this policy is closed")

    def _switch(self, state: Adapter | None) -> None:
        """Let the model be the base or the base with one adapter."""
        if not self._names or (state is not None and state == self._folded):
            return
        tuner = self._model.base_model
        if self._folded is not None:
            tuner.unmerge_adapter()
            self._folded = None
        if state is None:
            tuner.disable_adapter_layers()
            return
        tuner.enable_adapter_layers()
        self._model.set_adapter(self._names[state])
        if self._folds:
            tuner.merge_adapter()
            self._folded = state

    def _draw(self, rows: list[_Row], sampling: Sampling, generator: torch.Generator) -> Generator[_Row]:
        """Fill rows with tokens; each is given when it has ended. A prompt that several have is read once.

        The device is given the next step before the host looks at what was drawn: rows that turn out to have ended take
        a step too many, and it never waits.
        """
        ends, lanes = _end_ids(self._model), None
        while rows:
            self._check_open()
            with torch.inference_mode(), torch.cuda.stream(self._stream):
                lanes = self._lanes(rows, sampling.max_tokens) if lanes is None else lanes
                drawn = DrawnTokens(lanes.logits_bv, sampling, generator)
                if any(len(row.tokens) + 1 < self._room(row, sampling.max_tokens) for row in rows):
                    lanes.feed(drawn.tokens_b1)
                for row, token, logprob in zip(rows, *drawn.on_host(), strict=True):
                    self._append(row, token, logprob, ends, sampling)
                going = [place for place, row in enumerate(rows) if not row.finish]
                if 0 < len(going) < len(rows):
                    lanes = lanes.keep(going)
            yield from (row for row in rows if row.finish)
            rows = [rows[place] for place in going]

    def _lanes(self, rows: Sequence[_Row], max_tokens: int) -> Lanes:
        numbers: dict[tuple[int, ...], int] = {}
        places = [numbers.setdefault(tuple(row.prompt_ids), len(numbers)) for row in rows]
        prompts = list(numbers)
        if not self._fixes or 2 * len(rows) <= self.settings.batch:
            return GrowingLanes(self._model, prompts, places)
        columns = max(map(len, prompts)) + max(self._room(row, max_tokens) for row in rows)
        if self._fixed is None or self._fixed.columns < columns:
            self._fixed = FixedLanes(self._model, self.settings.batch, columns, graphs=self._stream is not None)
        self._fixed.start(prompts, places)
        return self._fixed

    def _append(self, row: _Row, token: int, logprob: float, ends: frozenset[int], sampling: Sampling) -> None:
        row.tokens.append(token)
        row.logprobs.append(logprob)
        room = self._room(row, sampling.max_tokens)
        cut = self._cut(row, sampling) if sampling.stop else None
        if token in ends or cut is not None:
            row.finish = "stop"
        elif len(row.tokens) >= room:
            row.finish = "length"
        if row.finish:
            row.text = self._text(row) if cut is None else cut

    def _room(self, row: _Row, max_tokens: int) -> int:
        return min(max_tokens, self.settings.context - len(row.prompt_ids))

    def _cut(self, row: _Row, sampling: Sampling) -> str | None:
        return cut_at_stop(self._text(row), sampling.stop)

    def _text(self, row: _Row) -> str:
        return str(self._tokenizer.decode(row.tokens, skip_special_tokens=True))


@torch.inference_mode()
def token_logprobs(model: Any, prompt_ids: Sequence[int], token_ids: Sequence[int]) -> list[float]:
    """Natural logarithms of the probabilities of an answer's tokens after a prompt, at temperature 1.

    `model` is a causal model of transformers, with or without a peft adapter.
    """
    ids = torch.tensor([[*prompt_ids, *token_ids]], device=model.device)
    logits_tv = model(input_ids=ids).logits[0, len(prompt_ids) - 1 : -1].float()
    chosen = logits_tv.log_softmax(-1).gather(-1, ids[0, len(prompt_ids) :, None])
    return [float(value) for value in chosen[:, 0]]


def _end_ids(model: Any) -> frozenset[int]:
    """Tokens that end an answer, as the model's files say: one, several or none."""
    ends = model.generation_config.eos_token_id
    if ends is None:
        ends = model.config.eos_token_id
    return frozenset([ends] if isinstance(ends, int) else ends or [])


def _completion(row: _Row, named: str) -> Completion:
    return Completion(
        text=row.text,
        finish="stop" if row.finish == "stop" else "length",
        version=named,
        prompt_ids=tuple(row.prompt_ids),
        token_ids=tuple(row.tokens),
        logprobs=tuple(row.logprobs),
    )
