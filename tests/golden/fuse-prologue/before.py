# kernelwright module 1
# name: shifted
# level: triton  digest: cc70397b28d0
import math

import torch
import torch.nn as nn
import triton
import triton.language as tl

aten = torch.ops.aten

REFERENCE = {
    "entry": "Model",
    "inputs": ["x: f32[12, 50]", "by: f32[50]", "weight: f32[50]"],
    "state": [],
    "outputs": ["out0: f32[12, 50]", "out1: f32[12]", "out2: f32[12, 50]"],
    "returns": "tuple",
    "tolerance": {"kind": "gold", "factor": 16.0, "rtol": 0.01, "atol": 0.01},
    "shrunken": False,
    "source": '''\
import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, x, by, weight):
        shifted = x * by + 1.5
        most = shifted.amax(1)
        return (shifted - most[:, None]) * weight, most, shifted


def get_inputs():
    return [torch.randn(12, 50), torch.randn(50), torch.randn(50)]
''',
}


@triton.jit
def shift_columns(x_ptr, by_ptr, shifted_ptr, n, cols, SIZE: tl.constexpr):
    i = tl.program_id(0) * SIZE + tl.arange(0, SIZE)
    x = tl.load(x_ptr + i, mask=i < n, other=0.0)
    tl.store(shifted_ptr + i, x * tl.load(by_ptr + i % cols, mask=i < n) + 1.5, mask=i < n)


@triton.jit
def share_rows(shifted_ptr, weight_ptr, y_ptr, most_ptr, cols, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    c = tl.arange(0, BLOCK)
    s = tl.load(shifted_ptr + row * cols + c, mask=c < cols, other=-float("inf"))
    most = tl.max(s, axis=0)
    w = tl.load(weight_ptr + c, mask=c < cols)
    tl.store(y_ptr + row * cols + c, (s - most) * w, mask=c < cols)
    tl.store(most_ptr + row, most)


class ModelNew(nn.Module):
    def forward(self, x, by, weight):
        rows, cols = x.shape
        shifted = torch.empty_like(x)
        shift_columns[(triton.cdiv(rows * cols, 128),)](x, by, shifted, rows * cols, cols, SIZE=128)
        y = torch.empty_like(x)
        most = torch.empty((rows,), device=x.device, dtype=x.dtype)
        share_rows[(rows,)](shifted, weight, y, most, cols, BLOCK=triton.next_power_of_2(cols))
        return y, most, shifted
