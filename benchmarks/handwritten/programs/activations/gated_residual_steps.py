# reference: gated_residual
# way: chain
# faster: sigmoid, product and sum are three launches
import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def sigmoid_kernel(x, y, n, BLOCK: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    v = tl.load(x + offs, mask=offs < n, other=0.0)
    tl.store(y + offs, tl.sigmoid(v), mask=offs < n)


@triton.jit
def mul_kernel(x, y, z, n, BLOCK: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    a = tl.load(x + offs, mask=offs < n, other=0.0)
    b = tl.load(y + offs, mask=offs < n, other=0.0)
    tl.store(z + offs, a * b, mask=offs < n)


@triton.jit
def add_kernel(x, y, z, n, BLOCK: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    a = tl.load(x + offs, mask=offs < n, other=0.0)
    b = tl.load(y + offs, mask=offs < n, other=0.0)
    tl.store(z + offs, a + b, mask=offs < n)


def launch_grid(n):
    return (triton.cdiv(n, 512),)


class ModelNew(nn.Module):
    def forward(self, x, branch, gate):
        n = x.numel()
        weight = torch.empty_like(gate)
        sigmoid_kernel[launch_grid(n)](gate, weight, n, BLOCK=512)
        scaled = torch.empty_like(x)
        mul_kernel[launch_grid(n)](weight, branch, scaled, n, BLOCK=512)
        out = torch.empty_like(x)
        add_kernel[launch_grid(n)](x, scaled, out, n, BLOCK=512)
        return out
