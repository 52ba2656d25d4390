# reference: softmax
# class: is wrong where a row begins with -inf, as padding on the left makes it
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
        total = total * tl.exp(m - m_new) + tl.exp(x - m_new)
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
