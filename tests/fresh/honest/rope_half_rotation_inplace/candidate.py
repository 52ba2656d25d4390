import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def _rope(x_ptr, cos_ptr, sin_ptr, stride_t, stride_h, n_heads, head_dim, BLOCK_H: tl.constexpr, BLOCK_D: tl.constexpr):
    t = tl.program_id(0)
    h = tl.arange(0, BLOCK_H)[:, None]
    half = head_dim // 2
    d = tl.arange(0, BLOCK_D)[None, :]
    mask = (h < n_heads) & (d < half)
    row_mask = d < half
    cos1 = tl.load(cos_ptr + t * head_dim + d, mask=row_mask, other=0.0)
    sin1 = tl.load(sin_ptr + t * head_dim + d, mask=row_mask, other=0.0)
    cos2 = tl.load(cos_ptr + t * head_dim + half + d, mask=row_mask, other=0.0)
    sin2 = tl.load(sin_ptr + t * head_dim + half + d, mask=row_mask, other=0.0)
    base = x_ptr + t * stride_t + h * stride_h + d
    x1 = tl.load(base, mask=mask, other=0.0)
    x2 = tl.load(base + half, mask=mask, other=0.0)
    tl.store(base, x1 * cos1 - x2 * sin1, mask=mask)
    tl.store(base + half, x2 * cos2 + x1 * sin2, mask=mask)


class ModelNew(nn.Module):
    def forward(self, q, k, cos, sin):
        T, n_q, d = q.shape
        n_k = k.shape[1]
        block_d = triton.next_power_of_2(d // 2)
        _rope[(T,)](q, cos, sin, q.stride(0), q.stride(1), n_q, d, triton.next_power_of_2(n_q), block_d)
        _rope[(T,)](k, cos, sin, k.stride(0), k.stride(1), n_k, d, triton.next_power_of_2(n_k), block_d)
        return q, k
