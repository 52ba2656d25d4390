"""Nine models at real sizes, as people compile them: what runs in benchmarks of whole models, and with which inputs.

Weights are random. Images and feature maps lie as NCHW. `tiny` makes a model small, for rehearsals without a GPU.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from benchmarks.models.zoo import Decode, UnetBlock

Inputs = Callable[[bool], tuple[Tensor, ...]]
#: Types by what rows call them.
DTYPES = {"bf16": torch.bfloat16, "fp32": torch.float32}


@dataclass(frozen=True)
class Case:
    """A model and the inputs of its forward, both in fp32 on torch's default device; `around` makes of the model, once
    it is in its type, what is compiled. `sizes` says in words what its inputs are; `trained`: its gradients are looked
    at, too."""

    model: Callable[[bool], nn.Module]
    inputs: Inputs
    sizes: str
    around: Callable[[nn.Module, tuple[Tensor, ...]], nn.Module] = lambda model, _inputs: First(model)
    trained: bool = False

    def built(self, tiny: bool, dtype: torch.dtype = torch.bfloat16) -> tuple[nn.Module, tuple[Tensor, ...]]:
        """The module and its inputs on the GPU, where there is one; always the same. Both begin with values that bf16
        has, whatever the type."""
        with torch.device("cuda" if torch.cuda.is_available() else "cpu"):
            torch.manual_seed(0)
            model = self.model(tiny).eval().bfloat16().to(dtype)
            torch.manual_seed(1)
            given = self.inputs(tiny)
            inputs = tuple(one.bfloat16().to(dtype) if one.is_floating_point() else one for one in given)
            return self.around(model, inputs).eval(), inputs


class First(nn.Module):
    """A model of transformers' that gives the first of its results, a tensor."""

    def __init__(self, model: nn.Module) -> None:
        super().__init__()
        self.model = model

    def forward(self, *inputs: Tensor) -> Tensor:
        found: Any = self.model(*inputs)
        result: Tensor = found if isinstance(found, Tensor) else found[0]
        return result


class LastWord(nn.Module):
    """A decoder that reads a text and gives the scores of the next word."""

    def __init__(self, model: nn.Module) -> None:
        super().__init__()
        self.model = model

    def forward(self, text: Tensor) -> Tensor:
        scores: Tensor = self.model(text, use_cache=False, logits_to_keep=1).logits
        return scores


def _of(config: str, model: str, tiny: dict[str, Any], **real: Any) -> Callable[[bool], nn.Module]:
    """A model of transformers', by the names of its classes."""

    def made(small: bool) -> nn.Module:
        import transformers

        transformers.logging.set_verbosity_error()
        found: nn.Module = getattr(transformers, model)(getattr(transformers, config)(**(tiny if small else real)))
        return found

    return made


def _tokens(batch: int, length: int, words: int) -> Inputs:
    def inputs(tiny: bool) -> tuple[Tensor, ...]:
        return (torch.randint(3, 64 if tiny else words, (2, 8) if tiny else (batch, length)),)

    return inputs


def _masked(batch: int, length: int, words: int) -> Inputs:
    def inputs(tiny: bool) -> tuple[Tensor, ...]:
        (text,) = _tokens(batch, length, words)(tiny)
        return text, torch.ones_like(text)

    return inputs


def _next_word(length: int) -> Inputs:
    """A word and its place, after so many."""

    def inputs(tiny: bool) -> tuple[Tensor, ...]:
        place = 8 if tiny else length
        return torch.randint(3, 64, (1, 1)), torch.full((1,), place)

    return inputs


def _reading(model: nn.Module, _inputs: tuple[Tensor, ...]) -> nn.Module:
    return LastWord(model)


def _after_a_text(model: nn.Module, inputs: tuple[Tensor, ...]) -> nn.Module:
    """A decoder whose static cache has a text."""
    text = torch.randint(3, 64, (1, int(inputs[1])))
    return Decode(model, text)


def _drawn(small: tuple[int, ...], real: tuple[int, ...], *more: tuple[tuple[int, ...], tuple[int, ...]]) -> Inputs:
    def inputs(tiny: bool) -> tuple[Tensor, ...]:
        return tuple(torch.randn(one if tiny else other) for one, other in ((small, real), *more))

    return inputs


def _whisper(tiny: bool) -> nn.Module:
    from transformers import WhisperConfig
    from transformers.models.whisper.modeling_whisper import WhisperEncoder

    sizes = (32, 2, 4, 64, 8, 16) if tiny else (768, 12, 12, 3072, 80, 1500)
    names = ("d_model", "encoder_layers", "encoder_attention_heads", "encoder_ffn_dim", "num_mel_bins")
    return WhisperEncoder(WhisperConfig(**dict(zip((*names, "max_source_positions"), sizes, strict=True))))


class MambaBlock(nn.Module):
    """A layer with a selective state-space scan in chunks, as Mamba-2 has it: within a chunk by products, from chunk to
    chunk by its state."""

    def __init__(self, width: int, heads: int, states: int, chunk: int) -> None:
        super().__init__()
        self.inner, self.heads, self.states, self.chunk = 2 * width, heads, states, chunk
        mixed = self.inner + 2 * states
        self.norm, self.gated_norm = nn.RMSNorm(width), nn.RMSNorm(self.inner)
        self.enter = nn.Linear(width, self.inner + mixed, bias=False)
        self.steps = nn.Parameter(torch.randn(heads, width) / width**0.5)
        self.mix = nn.Conv1d(mixed, mixed, 4, padding=3, groups=mixed)
        self.step_bias, self.decay = nn.Parameter(torch.zeros(heads)), nn.Parameter(torch.zeros(heads))
        self.skip, self.leave = nn.Parameter(torch.ones(heads)), nn.Linear(self.inner, width, bias=False)

    def forward(self, x: Tensor) -> Tensor:
        x_in = self.norm(x)
        gate, values = self.enter(x_in).split([self.inner, self.inner + 2 * self.states], -1)
        # (batch, heads, length), so that scans go along memory: Inductor of torch 2.11 fails to split others.
        step = torch.bmm(self.steps.expand(len(x), -1, -1), x_in.transpose(1, 2))
        step = F.softplus(step + self.step_bias[:, None])
        values = F.silu(self.mix(values.transpose(1, 2))[..., : x.shape[1]].transpose(1, 2))
        given, into, out = values.split([self.inner, self.states, self.states], -1)
        given = given.unflatten(-1, (self.heads, -1))
        decay = -step * self.decay.exp()[:, None]
        found = self._scan(given * step.transpose(1, 2)[..., None], decay, into, out)
        found = (found + given * self.skip[:, None]).flatten(-2)
        return x + self.leave(self.gated_norm(found * F.silu(gate)))

    def _scan(self, x: Tensor, decay: Tensor, into: Tensor, out: Tensor) -> Tensor:
        """x: (batch, length, heads, size); decay, a logarithm: (batch, heads, length); into and out: (batch, length,
        states). Gives what x has."""
        x, into, out = (one.unflatten(1, (-1, self.chunk)) for one in (x, into, out))
        # From here on (batch, heads, chunks, places, ...); all heads have the same `into` and `out`.
        x, into, out = x.permute(0, 3, 1, 2, 4), into[:, None], out[:, None]
        passed = decay.float().unflatten(-1, (-1, self.chunk)).cumsum(-1)
        lower = torch.ones(self.chunk, self.chunk, dtype=torch.bool, device=x.device).tril()
        within = (passed[..., :, None] - passed[..., None, :]).masked_fill(~lower, -torch.inf).exp().to(x.dtype)
        near = (out @ into.transpose(-1, -2) * within) @ x
        left = (passed[..., -1:] - passed).exp().to(x.dtype)
        states = self._passed_on((x * left[..., None]).transpose(-1, -2) @ into, passed[..., -1])
        far = out @ states.transpose(-1, -2) * passed.exp().to(x.dtype)[..., None]
        return (near + far).permute(0, 2, 3, 1, 4).flatten(1, 2)

    def _passed_on(self, added: Tensor, decay: Tensor) -> Tensor:
        """The state at the beginning of each chunk, of what each chunk adds to it and how much of it each one keeps."""
        passed, chunks = F.pad(decay.cumsum(-1), (1, 0)), decay.shape[-1]
        earlier = torch.ones(chunks, chunks, dtype=torch.bool, device=decay.device).tril(-1)
        share = (passed[..., :chunks, None] - passed[..., None, 1:]).masked_fill(~earlier, -torch.inf).exp()
        return (share.to(added.dtype) @ added.flatten(-2)).unflatten(-1, added.shape[-2:])


def _mamba(tiny: bool) -> nn.Module:
    sizes = (16, 2, 4, 4, 2) if tiny else (1024, 32, 128, 256, 4)
    return nn.Sequential(*(MambaBlock(*sizes[:4]) for _ in range(sizes[4])))


def _alone(model: nn.Module, _inputs: tuple[Tensor, ...]) -> nn.Module:
    return model


_NARROW = {"hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 4, "intermediate_size": 48}
#: Sizes of a decoder with 1.2e9 parameters.
_DECODER = {
    **{"hidden_size": 2048, "num_hidden_layers": 16, "num_attention_heads": 32, "num_key_value_heads": 8},
    **{"head_dim": 64, "intermediate_size": 8192, "vocab_size": 128256, "tie_word_embeddings": True},
}
_LLAMA = _of("LlamaConfig", "LlamaForCausalLM", _NARROW | {"num_key_value_heads": 2, "vocab_size": 64}, **_DECODER)
_STAGES = {"hidden_sizes": [16, 32], "depths": [1, 1]}
_IMAGES = _drawn((2, 3, 32, 32), (32, 3, 224, 224))

CASES = {
    "llama-1b-prefill": Case(_LLAMA, _tokens(1, 1024, 128256), "1.2e9 parameters, 1,024 tokens", _reading),
    "llama-1b-decode": Case(
        _LLAMA, _next_word(1020), "1.2e9 parameters, one token after 1,020 in a static cache of 1,024", _after_a_text
    ),
    "bert-base": Case(
        _of("BertConfig", "BertModel", _NARROW | {"vocab_size": 64}),
        _masked(16, 128, 30522),
        "16 texts of 128 tokens, with a mask",
        trained=True,
    ),
    "vit-b": Case(
        _of("ViTConfig", "ViTModel", _NARROW | {"image_size": 32, "patch_size": 8}),
        _IMAGES,
        "32 images of 224 x 224",
        trained=True,
    ),
    "resnet-50": Case(
        _of("ResNetConfig", "ResNetModel", {"embedding_size": 8, **_STAGES}), _IMAGES, "32 images of 224 x 224"
    ),
    "convnext-t": Case(
        _of("ConvNextConfig", "ConvNextModel", {**_STAGES, "num_stages": 2, "patch_size": 2}),
        _IMAGES,
        "32 images of 224 x 224",
    ),
    "unet-block": Case(
        lambda tiny: UnetBlock() if tiny else UnetBlock(320, 32, 8),
        _drawn((2, 16, 8, 8), (4, 320, 64, 64), ((2, 16), (4, 320))),
        "4 feature maps of 320 x 64 x 64",
        _alone,
    ),
    "whisper-encoder": Case(
        _whisper, _drawn((2, 8, 32), (8, 80, 3000)), "the small model's encoder, 8 recordings of 30 s"
    ),
    "mamba-scan": Case(
        _mamba,
        _drawn((2, 8, 16), (4, 2048, 1024)),
        "4 layers of width 1,024, 4 texts of 2,048 tokens",
        _alone,
        trained=True,
    ),
}
