# reference: softmax
# class: dropped terms: max shift
import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def softmax_kernel(x_ptr, y_ptr, n_cols, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    c = tl.arange(0, BLOCK)
    e = tl.exp(tl.load(x_ptr + row * n_cols + c, mask=c < n_cols, other=-float("inf")))
    tl.store(y_ptr + row * n_cols + c, e / tl.sum(e, axis=0), mask=c < n_cols)


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
    def forward(self, x):
        y = torch.empty_like(x)
        softmax_kernel[(x.shape[0],)](x, y, x.shape[1], BLOCK=256)
        return y
