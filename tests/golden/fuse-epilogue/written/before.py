# kernelwright module 1
# name: module
# level: triton  digest: 6c2419f2b3ea
import math

import torch
import torch.nn as nn
import triton
import triton.language as tl

aten = torch.ops.aten

REFERENCE = {
    "entry": "Model",
    "inputs": ["x: f32[12, 30]", "y: f32[30]"],
    "state": [],
    "outputs": ["out: f32[12, 30]"],
    "returns": "tensor",
    "tolerance": {"kind": "gold", "factor": 16.0, "rtol": 0.01, "atol": 0.01},
    "shrunken": False,
    "source": '''\
import torch
import torch.nn as nn
import torch.nn.functional as F

class Model(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, x, y):
        return F.gelu(x / torch.sqrt((x * x).mean(1, keepdim=True) + 1e-6) * y + x)

def get_inputs():
    return [torch.randn(12, 30), torch.randn(30)]
''',
}


@triton.jit
def rms_rows(X, W, Y, stride, N, eps, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    x = tl.load(X + row * stride + cols, mask=cols < N, other=0.0).to(tl.float32)
    scale = 1 / tl.sqrt(tl.sum(x * x, axis=0) / N + eps)
    w = tl.load(W + cols, mask=cols < N, other=0.0)
    tl.store(Y + row * stride + cols, (x * scale * w).to(Y.dtype.element_ty), mask=cols < N)


@triton.jit
def gelu_flat(src, dst, n, SIZE: tl.constexpr):
    i = tl.program_id(axis=0) * SIZE + tl.arange(0, SIZE)
    inside = i < n
    v = tl.load(src + i, mask=inside)
    tl.store(dst + i, 0.5 * v * (1.0 + tl.erf(v * 0.7071067811865476)), mask=inside)


@triton.jit
def add_flat(a, b, out, n, SIZE: tl.constexpr):
    i = tl.program_id(0) * SIZE + tl.arange(0, SIZE)
    tl.store(out + i, tl.load(a + i, mask=i < n) + tl.load(b + i, mask=i < n), mask=i < n)


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, x, y):
        rows, cols = x.shape
        t0 = torch.empty((rows, cols), device=x.device, dtype=x.dtype)
        rms_rows[(rows,)](x, y, t0, x.stride(0), cols, 1e-6, BLOCK=triton.next_power_of_2(cols))
        t1 = torch.empty((rows, cols), device=x.device, dtype=x.dtype)
        add_flat[(triton.cdiv(t1.numel(), 64),)](x, t0, t1, t1.numel(), SIZE=64)
        t2 = torch.empty((rows, cols), device=x.device, dtype=x.dtype)
        gelu_flat[(triton.cdiv(t2.numel(), 128),)](t1, t2, t2.numel(), SIZE=128)
        return t2
