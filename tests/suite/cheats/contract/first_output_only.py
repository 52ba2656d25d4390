# reference: sum_max
# class: wrong contract: structure
import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def sum_kernel(x_ptr, out_ptr, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    c = tl.arange(0, BLOCK)
    tl.store(out_ptr + row, tl.sum(tl.load(x_ptr + row * N + c, mask=c < N, other=0.0), axis=0))


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
    def forward(self, x):
        out = torch.empty(x.shape[0], device=x.device)
        sum_kernel[(x.shape[0],)](x, out, x.shape[1], BLOCK=128)
        return out  # zip() stops at the shorter one
