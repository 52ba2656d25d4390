import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def log_softmax_rows(x, y, first, n, B: tl.constexpr):
    r = first + tl.program_id(0)
    c = tl.arange(0, B)
    v = tl.load(x + r * n + c, mask=c < n, other=float("-inf"))
    v = v - tl.max(v, 0)
    tl.store(y + r * n + c, v - tl.log(tl.sum(tl.exp(v), 0)), mask=c < n)


def pieces(total, size):
    for start in range(0, total, size):
        yield start, min(size, total - start)


class ModelNew(nn.Module):
    def forward(self, x):
        y = torch.empty_like(x)
        for start, rows in pieces(x.shape[0], 10):
            log_softmax_rows[(rows,)](x, y, start, x.shape[1], B=triton.next_power_of_2(x.shape[1]))
        return y
