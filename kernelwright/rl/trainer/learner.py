"""What is trained: a LoRA adapter on a base model that stays as it is, and the optimizer that moves it."""

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

import torch
from peft import LoraConfig, PeftModel, get_peft_model, set_peft_model_state_dict
from peft.tuners.tuners_utils import BaseTunerLayer
from safetensors.torch import load_file
from torch import Tensor
from transformers import AutoModelForCausalLM, AutoTokenizer

from kernelwright.ir.errors import KernelwrightError, UserError, check_choice
from kernelwright.rl.trainer.packing import Example, Scores, score, scored, shares_prompts
from kernelwright.rl.trainer.ranks import ALONE, Ranks, shard_layers

DTYPES = {"float32": torch.float32, "bfloat16": torch.bfloat16}
_OPTIMIZER, _ADAPTER = "optimizer.pt", "adapter"


class DivergedError(KernelwrightError):
    """A loss or gradient that is no number: nothing was learnt from that step."""


@dataclass(frozen=True)
class LoraSettings:
    """The adapter's rank, scale and dropout; `targets` are names of linear layers, or `all-linear`."""

    rank: int = 16
    alpha: int = 32
    dropout: float = 0.0
    targets: str | tuple[str, ...] = "all-linear"

    def config(self) -> LoraConfig:
        """As peft has it."""
        targets = self.targets if isinstance(self.targets, str) else list(self.targets)
        return LoraConfig(
            r=self.rank,
            lora_alpha=self.alpha,
            lora_dropout=self.dropout,
            target_modules=targets,
            task_type="CAUSAL_LM",
        )


@dataclass(frozen=True)
class OptimizerSettings:
    """AdamW. The rate rises over `warmup` steps and stays, or falls along half a cosine to 0 at `steps`."""

    lr: float = 1e-6
    betas: tuple[float, float] = (0.9, 0.999)
    weight_decay: float = 0.0
    clip: float = 1.0
    warmup: int = 0
    schedule: Literal["constant", "cosine"] = "constant"

    def rate(self, step: int, steps: int) -> float:
        """The learning rate of a step, counted from 0."""
        rising = min(1.0, (step + 1) / (self.warmup + 1))
        if self.schedule == "constant":
            return self.lr * rising
        done = min(1.0, max(0, step - self.warmup) / max(1, steps - self.warmup))
        return self.lr * rising * 0.5 * (1 + math.cos(math.pi * done))


@dataclass
class Learner:
    """A base model with one adapter. `budget` is in tokens of one forward pass, `steps` is the run's length.

    Where `ranks` are several processes, all call `score` equally often, and `scored` and `update` with the same.
    """

    model: Any
    tokenizer: Any
    settings: OptimizerSettings = field(default_factory=OptimizerSettings)
    budget: int = 4096
    steps: int = 1
    step: int = 0
    ranks: Ranks = ALONE

    def __post_init__(self) -> None:
        parameters = self._adapter()
        self._reference: list[Tensor] | None = None
        self.optimizer = torch.optim.AdamW(
            parameters,
            lr=self.settings.lr,
            betas=self.settings.betas,
            weight_decay=self.settings.weight_decay,
            fused=True if self.device.type == "cuda" else None,
        )

    @property
    def device(self) -> torch.device:
        """Where the model is."""
        place: torch.device = next(self.model.parameters()).device
        return place

    def packs(self, rows: Sequence[Example]) -> list[list[int]]:
        """The packs of this process's rows; empty ones, where other processes have more, want a pass for nothing."""
        return self.ranks.packs(rows, self.budget, shares_prompts(self.model))

    def score(self, rows: Sequence[Example], temperature: float = 1.0, dropout: bool = True) -> Scores:
        """The adapter's log-probabilities of one pack of rows, with gradients.

        Without `dropout` they are those of `scored`, as a ratio of the two takes them to be.
        """
        self.model.train()
        if not dropout:
            _without_dropout(self.model)
        return score(self.model, rows, temperature, entropy=False)

    def scored(self, rows: Sequence[Example], temperature: float = 1.0) -> Scores:
        """The adapter's scores without gradients or dropout."""
        self.model.eval()
        found = scored(self.model, rows, self.packs(rows), temperature)
        self.ranks.add_up([part for part in (found.logp, found.entropy) if part is not None])
        return found

    def keep_reference(self) -> None:
        """Keep a copy of the adapter as it is now, for `scored_by_reference`."""
        self._reference = [parameter.detach().clone() for parameter in self._adapter()]

    def scored_by_reference(self, rows: Sequence[Example], temperature: float = 1.0) -> Scores:
        """The scores of the adapter that `keep_reference` kept."""
        assert self._reference is not None, "keep_reference comes first"
        current = [parameter.data for parameter in self._adapter()]
        try:
            self._put(self._reference)
            return self.scored(rows, temperature)
        finally:
            self._put(current)

    def _adapter(self) -> list[torch.nn.Parameter]:
        return [parameter for parameter in self.model.parameters() if parameter.requires_grad]

    def _put(self, values: Sequence[Tensor]) -> None:
        for parameter, value in zip(self._adapter(), values, strict=True):
            parameter.data = value

    def scored_by_base(self, rows: Sequence[Example], temperature: float = 1.0) -> Scores:
        """The scores of the base model, its adapter left out."""
        with self.model.disable_adapter():
            return self.scored(rows, temperature)

    def update(self) -> dict[str, float]:
        """Take an optimizer step with the gradients there are: `grad_norm` and `lr`.

        Raises DivergedError where a gradient is no number; weights and optimizer are as they were then.
        """
        rate = self.settings.rate(self.step, self.steps)
        parameters = [p for group in self.optimizer.param_groups for p in group["params"]]
        self.ranks.add_up([p.grad for p in parameters if p.grad is not None])
        norm = float(torch.nn.utils.clip_grad_norm_(parameters, self.settings.clip))
        if not math.isfinite(norm):
            self.optimizer.zero_grad(set_to_none=True)
            raise DivergedError(f"step {self.step}: the gradient's norm is {norm}")
        for group in self.optimizer.param_groups:
            group["lr"] = rate
        self.optimizer.step()
        self.optimizer.zero_grad(set_to_none=True)
        self.step += 1
        return {"grad_norm": norm, "lr": rate}

    def save_adapter(self, folder: Path) -> None:
        """Write the adapter as peft does: what vLLM loads.

        Embeddings belong to the base. Left to find out whether to save them, peft asks the Hub about the base.
        """
        self.model.save_pretrained(folder, safe_serialization=True, save_embedding_layers=False)

    def save(self, folder: Path) -> None:
        """Write adapter and optimizer."""
        self.save_adapter(folder / _ADAPTER)
        torch.save({"optimizer": self.optimizer.state_dict(), "step": self.step}, folder / _OPTIMIZER)

    def load(self, folder: Path) -> None:
        """Go on from what `save` wrote."""
        load_adapter_weights(self.model, folder / _ADAPTER)
        content = torch.load(folder / _OPTIMIZER, map_location=self.device, weights_only=True)
        self.optimizer.load_state_dict(content["optimizer"])
        self.step = int(content["step"])


def open_model(
    base: Path | str,
    lora: LoraSettings,
    adapter: Path | None = None,
    *,
    device: str = "cpu",
    dtype: str = "float32",
    checkpointing: bool = False,
    seed: int = 0,
    ranks: Ranks = ALONE,
) -> tuple[Any, Any]:
    """The base model with a new adapter, or with a copy of the one in a folder; and the tokenizer.

    Base weights are in `dtype` (auto: bfloat16 on a GPU, fp32 elsewhere), the adapter in fp32; layers are split
    over `ranks`. Raises UserError for a base or adapter that is not there.
    """
    dtype = ("bfloat16" if device.startswith("cuda") else "float32") if dtype == "auto" else dtype
    check_choice("dtype", dtype, ("auto", *DTYPES))
    tokenizer = open_tokenizer(base)
    try:
        bare = AutoModelForCausalLM.from_pretrained(base, dtype=DTYPES[dtype])
    except (OSError, ValueError) as error:
        raise _unreadable(base, error) from error
    if checkpointing:
        bare.gradient_checkpointing_enable({"use_reentrant": False})
        bare.enable_input_require_grads()
    torch.manual_seed(seed)
    model: Any
    if adapter is None:
        model = get_peft_model(bare, lora.config())
    else:
        if not (adapter / "adapter_config.json").is_file():
            raise UserError(f"{adapter} holds no LoRA adapter (adapter_config.json is missing)")
        try:
            model = PeftModel.from_pretrained(bare, str(adapter), is_trainable=True)
        except (ValueError, RuntimeError) as error:  # modules or shapes of another model
            raise UserError(
                f"the adapter {adapter} does not fit the base model {base}: {_misfit(str(error))}; give another "
                "adapter=…, or adapter=null for a new one"
            ) from error
    for parameter in model.parameters():
        if parameter.requires_grad:
            parameter.data = parameter.data.float()
    for module in model.modules():
        if dtype == "bfloat16" and isinstance(module, BaseTunerLayer):
            module.cast_input_dtype_enabled = False  # activations stay as they are: scoring runs under autocast
    shard_layers(model, ranks, device)
    return model.to(device), tokenizer


def _misfit(message: str) -> str:
    """Why weights do not fit, from PyTorch's message: the first shape that differs, else its first line."""
    shapes = re.search(r"size mismatch for (\S+): \D*?torch\.Size\((.*?)\)\D*?torch\.Size\((.*?)\)", message)
    if shapes is None:
        return message.strip().partition("\n")[0]
    name, given, needed = shapes.groups()
    return f"{name} has the shape {given}, and {needed} is needed (its rank or its base model is another one)"


def open_tokenizer(base: Path | str) -> Any:
    """A base model's tokenizer; UserError for one that is not there."""
    try:
        return AutoTokenizer.from_pretrained(base)
    except (OSError, ValueError) as error:
        raise _unreadable(base, error) from error


def _unreadable(base: Path | str, error: Exception) -> UserError:
    return UserError(f"base model {str(base)!r} cannot be read: {str(error).splitlines()[0]}")


def _without_dropout(model: Any) -> None:
    """Let a model in training mode drop nothing. Layers that recompute activations do so in training mode only."""
    model.eval()
    for module in model.modules():
        module.training = bool(getattr(module, "gradient_checkpointing", False))


def load_adapter_weights(model: Any, folder: Path) -> None:
    """Put the weights of a saved adapter into the model's own."""
    result: Any = set_peft_model_state_dict(model, load_file(folder / "adapter_model.safetensors"))
    if result.unexpected_keys:
        raise UserError(f"{folder} is an adapter of another model: {result.unexpected_keys[0]}")
