"""Attention of one token at a time for models whose heads share keys and values.

transformers copies keys and values for each head where there is a mask. Heads that share them are rows of one query as
well, for there is no order among them to respect, and nothing is copied.
"""

from typing import Any

from torch import Tensor
from torch.nn.functional import scaled_dot_product_attention

from kernelwright.serve.optional import require

_NAME = "kernelwright_grouped"


def share_keys_and_values(model: Any) -> None:
    """Let a model of transformers read shared keys and values as they are, if it attends by torch's own function."""
    if model.config._attn_implementation != "sdpa":
        return
    transformers = require("transformers", "train")
    masks = require("transformers.masking_utils", "train")
    transformers.AttentionInterface.register(_NAME, _attention)
    transformers.AttentionMaskInterface.register(_NAME, masks.sdpa_mask)
    model.set_attn_implementation(_NAME)


def _attention(
    module: Any, query_bhld: Tensor, key_bgcd: Tensor, value_bgcd: Tensor, mask: Tensor | None, **options: Any
) -> tuple[Tensor, None]:
    """What transformers' `sdpa` gives, (B, L, H, D); G groups of heads share the keys and values of C columns."""
    batch, heads, length, width = query_bhld.shape
    groups = key_bgcd.shape[1]
    alike = mask is not None and mask.shape[1] == 1 and options.get("position_bias") is None
    if length > 1 or heads == groups or not alike:
        sdpa = require("transformers.integrations.sdpa_attention", "train").sdpa_attention_forward
        found: tuple[Tensor, None] = sdpa(module, query_bhld, key_bgcd, value_bgcd, mask, **options)
        return found
    query_bgrd = query_bhld.reshape(batch, groups, heads // groups, width)
    out_bgrd = scaled_dot_product_attention(
        query_bgrd, key_bgcd, value_bgcd, mask, options.get("dropout", 0.0), scale=options.get("scaling")
    )
    return out_bgrd.reshape(batch, length, heads, width), None
