"""Attention of one token at a time, for models whose heads share keys and values, and for lanes of different lengths.

transformers copies keys and values for each head where there is a mask. Heads that share them are rows of one query as
well, for there is no order among them to respect, and nothing is copied. On a GPU a kernel of our own reads what a
mask lets through and nothing else.
"""

from typing import Any

import torch
import triton
from torch import Tensor
from torch.nn.functional import scaled_dot_product_attention

from kernelwright.serve.attention_kernel import attend_one
from kernelwright.serve.optional import require

_NAME = "kernelwright_grouped"
#: Columns that a program reads at a time.
_COLUMNS = 32
#: The fewest rows and columns of an operand of `tl.dot`.
_LEAST = 16
#: Elements of a product of fewer rows that a warp holds.
_WARP_ELEMENTS = 8192


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
    if length > 1 or not alike:
        sdpa = require("transformers.integrations.sdpa_attention", "train").sdpa_attention_forward
        found: tuple[Tensor, None] = sdpa(module, query_bhld, key_bgcd, value_bgcd, mask, **options)
        return found
    assert mask is not None
    scale = options.get("scaling") or width**-0.5
    dropout = options.get("dropout", 0.0)
    fits = width >= _LEAST and width == triton.next_power_of_2(width)
    if query_bhld.is_cuda and fits and mask.dtype == torch.bool and not dropout:
        return attend(query_bhld[:, :, 0], key_bgcd, value_bgcd, mask[:, 0, 0], scale)[:, None], None
    query_bgrd = query_bhld.reshape(batch, groups, heads // groups, width)
    out_bgrd = scaled_dot_product_attention(query_bgrd, key_bgcd, value_bgcd, mask, dropout, scale=scale)
    return out_bgrd.reshape(batch, length, heads, width), None


def attend(query_bhd: Tensor, key_bgcd: Tensor, value_bgcd: Tensor, mask_bc: Tensor, scale: float) -> Tensor:
    """softmax(query keys^T scale) values of one token a row, (B, H, D), where the mask (bool) is true.

    G groups of H / G heads share keys and values. D is a power of two, 16 or more, and the last axis of all four is
    dense; each row of the mask is true somewhere. Computed in float32, block by block (Dao, 2023).
    """
    batch, heads, width = query_bhd.shape
    groups, columns = key_bgcd.shape[1:3]
    rows = triton.next_power_of_2(heads // groups)
    out_bhd = torch.empty((batch, heads, width), dtype=query_bhd.dtype, device=query_bhd.device)
    attend_one[(batch, groups)](
        query_bhd,
        key_bgcd,
        value_bgcd,
        mask_bc,
        out_bhd,
        scale,
        columns,
        *query_bhd.stride()[:2],
        *key_bgcd.stride()[:3],
        *value_bgcd.stride()[:3],
        mask_bc.stride(0),
        heads // groups,
        BLOCK_R=rows,
        BLOCK_C=_COLUMNS,
        BLOCK_D=width,
        LEAST_BLOCK=_LEAST,
        num_warps=max(1, rows * _COLUMNS * width // _WARP_ELEMENTS) if rows < _LEAST else 2,
    )
    return out_bhd
