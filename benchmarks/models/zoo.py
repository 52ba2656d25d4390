"""Small configurations with random weights of the models that people compile, from transformers as they are published.

Each gives a module and, for a batch size, the inputs of its forward. Dropout is off, so that eager, Inductor and our
kernels compute the same. Two of them have two layers, whose kernels are the same; the others have one.
"""

from collections.abc import Callable

import torch
from torch import Tensor, nn
from torch.nn import functional as F

Inputs = Callable[[int], tuple[Tensor, ...]]
_TEXT = {"hidden_size": 32, "num_hidden_layers": 1, "num_attention_heads": 4, "vocab_size": 64}
_PLACES = {"max_position_embeddings": 64}
_NO_TOKENS = {"bos_token_id": 1, "eos_token_id": 2, "pad_token_id": 0}
_QUIET = {"hidden_dropout_prob": 0.0, "attention_probs_dropout_prob": 0.0}


def _ids(batch: int, length: int = 16) -> tuple[Tensor, ...]:
    return (torch.randint(3, 63, (batch, length)),)


def _image(size: int) -> Inputs:
    return lambda batch: (torch.randn(batch, 3, size, size),)


def llama() -> tuple[nn.Module, Inputs]:
    from transformers import LlamaConfig, LlamaForCausalLM

    return LlamaForCausalLM(LlamaConfig(**_TEXT, **_PLACES, num_key_value_heads=2, intermediate_size=48)), _ids


def qwen3() -> tuple[nn.Module, Inputs]:
    from transformers import Qwen3Config, Qwen3ForCausalLM

    config = Qwen3Config(**_TEXT, **_PLACES, num_key_value_heads=2, intermediate_size=48, head_dim=8)
    return Qwen3ForCausalLM(config), _ids


def gpt2() -> tuple[nn.Module, Inputs]:
    from transformers import GPT2Config, GPT2LMHeadModel

    sizes = {"n_embd": 32, "n_layer": 2, "n_head": 4, "n_positions": 64, "vocab_size": 64}
    quiet = {"resid_pdrop": 0.0, "embd_pdrop": 0.0, "attn_pdrop": 0.0}
    return GPT2LMHeadModel(GPT2Config(**sizes, **quiet, **_NO_TOKENS)), _ids


def bert() -> tuple[nn.Module, Inputs]:
    from transformers import BertConfig, BertModel

    return BertModel(BertConfig(**_TEXT | {"num_hidden_layers": 2}, **_PLACES, **_QUIET, intermediate_size=64)), _ids


def t5() -> tuple[nn.Module, Inputs]:
    from transformers import T5Config, T5EncoderModel

    config = T5Config(d_model=32, d_kv=8, d_ff=64, num_layers=1, num_heads=4, vocab_size=64, dropout_rate=0.0)
    return T5EncoderModel(config), _ids


def vit() -> tuple[nn.Module, Inputs]:
    from transformers import ViTConfig, ViTModel

    sizes = {"hidden_size": 32, "num_hidden_layers": 1, "num_attention_heads": 4, "intermediate_size": 64}
    return ViTModel(ViTConfig(**sizes, **_QUIET, image_size=16, patch_size=4)), _image(16)


def whisper() -> tuple[nn.Module, Inputs]:
    from transformers import WhisperConfig
    from transformers.models.whisper.modeling_whisper import WhisperEncoder

    sizes = {"d_model": 32, "encoder_layers": 1, "encoder_attention_heads": 4, "encoder_ffn_dim": 64}
    config = WhisperConfig(**sizes, num_mel_bins=8, max_source_positions=16, dropout=0.0)
    return WhisperEncoder(config), lambda batch: (torch.randn(batch, 8, 32),)


def clip() -> tuple[nn.Module, Inputs]:
    from transformers import CLIPConfig, CLIPModel

    sizes = {"hidden_size": 32, "num_hidden_layers": 1, "num_attention_heads": 4, "intermediate_size": 64}
    text = {**sizes, **_NO_TOKENS, "vocab_size": 64, "max_position_embeddings": 16}
    vision = {**sizes, "image_size": 16, "patch_size": 8}
    model = CLIPModel(CLIPConfig(text_config=text, vision_config=vision, projection_dim=16))
    return model, lambda batch: (*_ids(batch), torch.randn(batch, 3, 16, 16))


def deberta() -> tuple[nn.Module, Inputs]:
    from transformers import DebertaV2Config, DebertaV2Model

    relative = {"relative_attention": True, "position_buckets": 8, "pos_att_type": ["p2c", "c2p"]}
    config = DebertaV2Config(**_TEXT, **_PLACES, **_QUIET, **relative, intermediate_size=64, share_att_key=True)
    return DebertaV2Model(config), _ids


def mamba() -> tuple[nn.Module, Inputs]:
    from transformers import MambaConfig, MambaForCausalLM

    config = MambaConfig(hidden_size=32, state_size=4, num_hidden_layers=1, vocab_size=64, time_step_rank=4)
    return MambaForCausalLM(config), lambda batch: _ids(batch, 8)


def mixtral() -> tuple[nn.Module, Inputs]:
    from transformers import MixtralConfig, MixtralForCausalLM

    sizes = {"num_key_value_heads": 2, "intermediate_size": 16, "num_local_experts": 4}
    config = MixtralConfig(**_TEXT, **_PLACES, **sizes)
    config._experts_implementation = "batched_mm"  # the grouped product is an operation that CPUs lack
    return MixtralForCausalLM(config), lambda batch: _ids(batch, 4)  # each token gets its experts' weights gathered


def convnext() -> tuple[nn.Module, Inputs]:
    from transformers import ConvNextConfig, ConvNextModel

    config = ConvNextConfig(hidden_sizes=[8, 16], depths=[1, 1], num_stages=2, image_size=32)
    return ConvNextModel(config), _image(32)


def resnet() -> tuple[nn.Module, Inputs]:
    from transformers import ResNetConfig, ResNetModel

    config = ResNetConfig(embedding_size=8, hidden_sizes=[8, 16], depths=[1, 1], layer_type="basic")
    return ResNetModel(config), _image(32)


class UnetBlock(nn.Module):
    """A residual block with the time step added, attention over places, and a step down and up again."""

    def __init__(self, width: int = 16, groups: int = 4, heads: int = 2) -> None:
        super().__init__()
        self.norms = nn.ModuleList(nn.GroupNorm(groups, width) for _ in range(3))
        self.first, self.second = (nn.Conv2d(width, width, 3, padding=1) for _ in range(2))
        self.time, self.attention = nn.Linear(width, width), nn.MultiheadAttention(width, heads, batch_first=True)
        self.down, self.up = nn.Conv2d(width, width, 3, 2, 1), nn.Conv2d(2 * width, width, 3, padding=1)

    def forward(self, x: Tensor, time: Tensor) -> Tensor:
        h = self.first(F.silu(self.norms[0](x))) + self.time(F.silu(time))[:, :, None, None]
        h = x + self.second(F.silu(self.norms[1](h)))
        low = self.down(h)
        places = self.norms[2](low).flatten(2).transpose(1, 2)
        seen = self.attention(places, places, places, need_weights=False)[0]
        low = low + seen.transpose(1, 2).unflatten(2, low.shape[2:])
        return self.up(torch.cat([h, F.interpolate(low, scale_factor=2.0, mode="nearest")], 1))


def unet() -> tuple[nn.Module, Inputs]:
    return UnetBlock(), lambda batch: (torch.randn(batch, 16, 8, 8), torch.randn(batch, 16))


MODELS: dict[str, Callable[[], tuple[nn.Module, Inputs]]] = {
    one.__name__: one
    for one in (llama, qwen3, gpt2, bert, t5, vit, whisper, clip, deberta, mamba, mixtral, convnext, resnet, unet)
}
#: Those that write a text word by word, with a static cache.
WRITERS = ("llama", "qwen3", "gpt2", "mixtral")


class Decode(nn.Module):
    """One word more, after a text that is in a static cache."""

    def __init__(self, model: nn.Module, text: Tensor) -> None:
        super().__init__()
        from transformers import StaticCache

        self.model = model
        self.cache = StaticCache(config=model.config, max_cache_len=text.shape[1] + 4)  # type: ignore[arg-type]
        with torch.no_grad():
            model(text, past_key_values=self.cache, use_cache=True)

    def forward(self, word: Tensor, place: Tensor) -> Tensor:
        # The cache counts its words; a call that is repeated writes to the same place again, and not past the end.
        for layer in self.cache.layers:
            layer.cumulative_length.copy_(place[0])
        given = {"past_key_values": self.cache, "use_cache": True, "position_ids": place[None]}
        logits: Tensor = self.model(word, **given).logits
        return logits


def built(name: str, mode: str) -> tuple[nn.Module, list[tuple[Tensor, ...]]]:
    """A model in the state of a mode, and the inputs of each of its calls; the same for every process."""
    torch.manual_seed(0)
    model, inputs = MODELS[name]()
    model.eval()
    if hasattr(model, "config"):
        model.config.use_cache = False
    if mode == "decode":
        (text,) = inputs(2)
        return Decode(model, text[:, :8]), [(text[:, 8:9], torch.tensor([8]))]
    return model, [inputs(2), inputs(3)] if mode == "batches" else [inputs(2)]
