# reference: softmax
# class: wrong contract: dtype
import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def softmax_kernel(x_ptr, y_ptr, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    c = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + row * N + c, mask=c < N, other=-float("inf"))
    e = tl.exp(x - tl.max(x, axis=0))
    tl.store(y_ptr + row * N + c, (e / tl.sum(e, axis=0)).to(tl.float16), mask=c < N)


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
    def forward(self, x):
        y = torch.empty(x.shape, device=x.device, dtype=torch.float16)
        softmax_kernel[(x.shape[0],)](x, y, x.shape[1], BLOCK=256)
        return y
