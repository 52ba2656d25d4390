# kernelwright module 1
# name: gated
# level: triton  digest: be55f81a735f
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
    i = tl.program_id(0) * SIZE + tl.arange(0, SIZE)
    inside = i < total
    lane = i % width
    head = (i // width) % heads
    token = i // (width * heads) % tokens
    batch = i // (width * heads * tokens)
    source = ((batch * tokens + token) * heads + head) * (2 * width) + lane
    x = tl.load(x_ptr + source, mask=inside)
    shift = tl.load(x_ptr + source + width, mask=inside)
    gate = tl.load(gate_ptr + head * (width // PAIR) + lane // PAIR, mask=inside)
    tl.store(y_ptr + i, x * gate + shift, mask=inside)


class ModelNew(nn.Module):
    def forward(self, x, gate):
        batch, tokens, heads, double = x.shape
        width = double // 2
        y = torch.empty((batch, tokens, heads, width), device=x.device, dtype=x.dtype)
        total = y.numel()
        gated_heads[(triton.cdiv(total, 128),)](x, gate, y, total, tokens, heads, width, PAIR=4, SIZE=128)
        return y
