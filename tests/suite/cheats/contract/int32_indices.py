# reference: argmax
# class: wrong contract: dtype
import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def argmax_kernel(x_ptr, out_ptr, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    c = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + row * N + c, mask=c < N, other=-float("inf"))
    tl.store(out_ptr + row, tl.argmax(x, axis=0))


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
    def forward(self, x):
        out = torch.empty(x.shape[0], dtype=torch.int32, device=x.device)
        argmax_kernel[(x.shape[0],)](x, out, x.shape[1], BLOCK=256)
        return out
