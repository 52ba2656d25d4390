# kernelwright module 1
# name: rotated
# level: triton  digest: 54884f991657
import math

import torch
import torch.nn as nn
import triton
import triton.language as tl

aten = torch.ops.aten

REFERENCE = {
    "entry": "Model",
    "inputs": ["x: f32[6, 40]", "angle: f32[20]"],
    "state": [],
    "outputs": ["out: f32[6, 40]"],
    "returns": "tensor",
    "tolerance": {"kind": "gold", "factor": 16.0, "rtol": 0.01, "atol": 0.01},
    "shrunken": False,
    "source": '''\
import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, x, angle):
        even, odd = x[..., 0::2], x[..., 1::2]
        cos, sin = torch.cos(angle), torch.sin(angle)
        return torch.stack((even * cos - odd * sin, even * sin + odd * cos), dim=-1).flatten(-2)


def get_inputs():
    return [torch.randn(6, 40), torch.randn(20)]
''',
}


@triton.jit
def rotated(x_ptr, angle_ptr, y_ptr, rows, pairs, ROWS: tl.constexpr, PAIRS: tl.constexpr):
    row = tl.program_id(0) * ROWS + tl.arange(0, ROWS)[:, None]
    for start in range(0, pairs, PAIRS):
        pair = start + tl.arange(0, PAIRS)[None, :]
        inside = (row < rows) & (pair < pairs)
        at = row * (2 * pairs) + 2 * pair
        even = tl.load(x_ptr + at, mask=inside, other=0.0)
        odd = tl.load(x_ptr + at + 1, mask=inside, other=0.0)
        angle = tl.load(angle_ptr + pair, mask=pair < pairs, other=0.0)
        cos, sin = tl.cos(angle), tl.sin(angle)
        tl.store(y_ptr + at, even * cos - odd * sin, mask=inside)
        tl.store(y_ptr + at + 1, even * sin + odd * cos, mask=inside)


class ModelNew(nn.Module):
    def forward(self, x, angle):
        rows, width = x.shape
        y = torch.empty_like(x)
        rotated[(triton.cdiv(rows, 4),)](x, angle, y, rows, width // 2, ROWS=4, PAIRS=8)
        return y
