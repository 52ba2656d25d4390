import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def message_sum(x_ptr, src_ptr, dst_ptr, out_ptr, edges, nodes, F, BE: tl.constexpr, BF: tl.constexpr):
    e = tl.program_id(0) * BE + tl.arange(0, BE)
    f = tl.program_id(1) * BF + tl.arange(0, BF)
    ok_e = e < edges
    src = tl.load(src_ptr + e, mask=ok_e, other=0)
    dst = tl.load(dst_ptr + e, mask=ok_e, other=0)
    src = tl.where(src < 0, src + nodes, src)
    ok = ok_e[:, None] & (f[None, :] < F)
    x = tl.load(x_ptr + src[:, None] * F + f[None, :], mask=ok, other=0.0)
    tl.atomic_add(out_ptr + dst[:, None] * F + f[None, :], x, mask=ok)


class ModelNew(nn.Module):
    def __init__(self, nodes):
        super().__init__()
        self.nodes = nodes

    def forward(self, x, src, dst):
        E = src.shape[0]
        F = x.shape[1]
        out = torch.zeros(self.nodes, F, device=x.device, dtype=x.dtype)
        message_sum[(triton.cdiv(E, 16), triton.cdiv(F, 16))](x.contiguous(), src, dst, out, E, x.shape[0], F, BE=16, BF=16)
        return out
