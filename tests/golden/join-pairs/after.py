# kernelwright module 1
# name: rotated
# level: triton  digest: 1d5f676fe38c
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
    pid = tl.program_id(0)
    lanes = tl.arange(0, ROWS)
    for start in range(0, pairs, PAIRS):
        rows_1 = lanes[:, None]
        first = 2 * start
        columns = tl.arange(0, 2 * PAIRS)[None, :]
        offsets = 2 * pid * pairs * ROWS + 2 * rows_1 * pairs + first + columns
        mask = (pid * ROWS + rows_1 < rows) & (first + columns < 2 * pairs)
        x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
        split = tl.split(tl.reshape(x, [ROWS, PAIRS, 2]))
        getitem = split[0]
        columns_1 = start + tl.arange(0, PAIRS)[None, :]
        angle = tl.load(angle_ptr + columns_1, mask=columns_1 < pairs, other=0.0)
        cos = tl.cos(angle)
        getitem_1 = split[1]
        sin = tl.sin(angle)
        interleave = tl.interleave((getitem * cos - getitem_1 * sin).to(tl.float32), (getitem * sin + getitem_1 * cos).to(tl.float32))
        tl.store(y_ptr + offsets, interleave, mask=mask)


class ModelNew(nn.Module):
    def forward(self, x, angle):
        rows, width = x.shape
        y = torch.empty_like(x)
        rotated[(triton.cdiv(rows, 4),)](x, angle, y, rows, width // 2, ROWS=4, PAIRS=8)
        return y
