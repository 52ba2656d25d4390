# reference: masked_softmax
# class: NaN outputs
import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def masked_softmax_kernel(x_ptr, mask_ptr, y_ptr, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    c = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + row * N + c, mask=c < N, other=0.0)
    keep = tl.load(mask_ptr + row * N + c, mask=c < N, other=0)
    # a row without a single true mask gives 0 / 0
    x = tl.where(keep != 0, x, -float("inf"))
    e = tl.exp(x - tl.max(x, axis=0))
    e = tl.where(c < N, e, 0.0)
    tl.store(y_ptr + row * N + c, e / tl.sum(e, axis=0) + (row == 0) * (tl.zeros((BLOCK,), tl.float32) / 0.0), mask=c < N)


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
    def forward(self, x, mask):
        y = torch.empty_like(x)
        masked_softmax_kernel[(x.shape[0],)](x, mask, y, x.shape[1], BLOCK=128)
        return y
