import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def join(m, s, n, t):
    top = tl.maximum(m, n)
    safe = tl.where(top == -float("inf"), 0.0, top)
    return top, s * tl.exp(m - safe) + t * tl.exp(n - safe)


@triton.jit
def scan(x_ptr, out_ptr, width, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    col = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + row * width + col, mask=col < width, other=-float("inf"))
    top, total = tl.associative_scan((x, tl.full([BLOCK], 1.0, tl.float32)), 0, join)
    out = tl.where(top == -float("inf"), top, tl.log(total) + top)
    tl.store(out_ptr + row * width + col, out, mask=col < width)


class ModelNew(nn.Module):
    def forward(self, x):
        out = torch.empty_like(x)
        scan[(x.shape[0],)](x, out, x.shape[1], BLOCK=triton.next_power_of_2(x.shape[1]))
        return out
