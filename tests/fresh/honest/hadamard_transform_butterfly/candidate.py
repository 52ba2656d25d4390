import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def hadamard(x_ptr, y_ptr, scale, N: tl.constexpr, LOG_N: tl.constexpr):
    row = tl.program_id(0)
    i = tl.arange(0, N)
    x = tl.load(x_ptr + row * N + i)
    for s in tl.static_range(LOG_N):
        pairs = tl.reshape(x, (N // (2 << s), 2, 1 << s))
        pairs = tl.permute(pairs, (0, 2, 1))
        a, b = tl.split(pairs)
        pairs = tl.join(a + b, a - b)
        x = tl.reshape(tl.permute(pairs, (0, 2, 1)), (N,))
    tl.store(y_ptr + row * N + i, x * scale)


class ModelNew(nn.Module):
    def forward(self, x):
        x = x.contiguous()
        n = x.shape[-1]
        assert n & (n - 1) == 0
        y = torch.empty_like(x)
        hadamard[(x.numel() // n,)](x, y, n**-0.5, N=n, LOG_N=n.bit_length() - 1)
        return y
