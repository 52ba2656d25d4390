# reference: sum_max
# class: wrong contract: structure
import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def stats_kernel(x_ptr, s_ptr, m_ptr, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    c = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + row * N + c, mask=c < N, other=0.0)
    tl.store(s_ptr + row, tl.sum(x, axis=0))
    tl.store(m_ptr + row, tl.max(tl.where(c < N, x, -float("inf")), axis=0))


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
    def forward(self, x):
        s = torch.empty(x.shape[0], device=x.device)
        m = torch.empty(x.shape[0], device=x.device)
        stats_kernel[(x.shape[0],)](x, s, m, x.shape[1], BLOCK=128)
        return {"sum": s, "max": m}
