import torch
import triton
import triton.language as tl


@triton.jit
def hadamard(x_ptr, o_ptr, scale, N: tl.constexpr):
    row = tl.program_id(0)
    i = tl.arange(0, N)
    x = tl.load(x_ptr + row * N + i)
    parity = i[:, None] & i[None, :]
    parity = parity ^ (parity >> 4)
    parity = parity ^ (parity >> 2)
    parity = parity ^ (parity >> 1)
    y = tl.sum(tl.where((parity & 1) == 1, -x[None, :], x[None, :]), 1)
    tl.store(o_ptr + row * N + i, y * scale)


def forward(x):
    out = torch.empty_like(x)
    n = x.shape[-1]
    hadamard[(x.numel() // n,)](x, out, n ** -0.5, N=n)
    return out
