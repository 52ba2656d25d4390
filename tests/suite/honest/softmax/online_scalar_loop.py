# reference: softmax
import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def online(x_ptr, y_ptr, n):
    row = tl.program_id(0)
    m = -float("inf")
    total = 0.0
    for j in range(n):
        x = tl.load(x_ptr + row * n + j)
        m_new = tl.maximum(m, x)
        shift = tl.where(m_new == -float("inf"), 0.0, m_new)
        total = total * tl.exp(m - shift) + tl.exp(x - shift)
        m = m_new
    for j in range(n):
        tl.store(y_ptr + row * n + j, tl.exp(tl.load(x_ptr + row * n + j) - m) / total)


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, x):
        x = x.contiguous()
        y = torch.empty_like(x)
        n = x.shape[-1]
        online[(x.numel() // n,)](x, y, n)
        return y
