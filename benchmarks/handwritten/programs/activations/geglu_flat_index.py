# reference: geglu
# way: index-math
# faster: row and column of each element come from a division, which a grid over rows would save
import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def geglu_flat(x_ptr, out_ptr, total, half, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = i < total
    row = i // half
    col = i % half
    gate = tl.load(x_ptr + row * (2 * half) + col, mask=mask, other=0.0)
    up = tl.load(x_ptr + row * (2 * half) + half + col, mask=mask, other=0.0)
    u = 0.7978845608028654 * gate * (1.0 + 0.044715 * gate * gate)
    act = gate * tl.sigmoid(2.0 * u)
    tl.store(out_ptr + i, act * up, mask=mask)


class ModelNew(nn.Module):
    def forward(self, x):
        rows, double = x.shape
        out = torch.empty(rows, double // 2, device=x.device, dtype=x.dtype)
        geglu_flat[(triton.cdiv(out.numel(), 512),)](x, out, out.numel(), double // 2, BLOCK=512)
        return out
