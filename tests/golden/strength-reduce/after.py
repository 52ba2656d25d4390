# kernelwright module 1
# name: gated
# level: triton  digest: 1d2e765538c0
import math

import torch
import torch.nn as nn
import triton
import triton.language as tl

aten = torch.ops.aten

REFERENCE = {
    "entry": "Model",
    "inputs": ["x: f32[2, 5, 3, 24]", "gate: f32[3, 3]"],
    "state": [],
    "outputs": ["out: f32[2, 5, 3, 12]"],
    "returns": "tensor",
    "tolerance": {"kind": "gold", "factor": 16.0, "rtol": 0.01, "atol": 0.01},
    "shrunken": False,
    "source": '''\
import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, x, gate):
        a, b = x.chunk(2, dim=-1)
        return a * gate.repeat_interleave(4, dim=1) + b


def get_inputs():
    return [torch.randn(2, 5, 3, 24), torch.randn(3, 3)]
''',
}


@triton.jit
def gated_heads(x_ptr, gate_ptr, y_ptr, total, tokens, heads, width, PAIR: tl.constexpr, SIZE: tl.constexpr):
    offsets = tl.program_id(0) * SIZE + tl.arange(0, SIZE)
    offsets_1 = offsets + 12 * (offsets // 12)
    mask = offsets < total
    x = tl.load(x_ptr + offsets_1, mask=mask)
    x_1 = tl.load(x_ptr + (offsets_1 + 12), mask=mask)
    gate = tl.load(gate_ptr + offsets // 4 % 9, mask=mask)
    tl.store(y_ptr + offsets, x * gate + x_1, mask=mask)


class ModelNew(nn.Module):
    def forward(self, x, gate):
        batch, tokens, heads, double = x.shape
        width = double // 2
        y = torch.empty((batch, tokens, heads, width), device=x.device, dtype=x.dtype)
        total = y.numel()
        gated_heads[(triton.cdiv(total, 128),)](x, gate, y, total, tokens, heads, width, PAIR=4, SIZE=128)
        return y
