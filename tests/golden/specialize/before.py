# kernelwright module 1
# name: gated_rows
# level: triton  digest: 629e9a2e33a5
import math

import torch
import torch.nn as nn
import triton
import triton.language as tl

aten = torch.ops.aten

REFERENCE = {
    "entry": "Model",
    "inputs": ["x: f32[3, 2000]", "gate: f32[1000]"],
    "state": [],
    "outputs": ["out: f32[3, 1000]"],
    "returns": "tensor",
    "tolerance": {"kind": "gold", "factor": 16.0, "rtol": 0.01, "atol": 0.01},
    "shrunken": False,
    "source": '''\
import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, x, gate):
        return x[:, :1000] * torch.sigmoid(gate) + x[:, 1000:]


def get_inputs():
    return [torch.randn(3, 2000), torch.randn(1000)]
''',
}


@triton.jit
def gated_rows(x_ptr, gate_ptr, y_ptr, cols, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    x_ptr += row * (2 * cols)
    for start in range(0, cols, BLOCK):
        at = start + tl.arange(0, BLOCK)
        inside = at < cols
        x = tl.load(x_ptr + at, mask=inside)
        shift = tl.load(x_ptr + cols + at, mask=inside)
        gate = tl.load(gate_ptr + at, mask=inside)
        tl.store(y_ptr + row * cols + at, x * tl.sigmoid(gate) + shift, mask=inside)


class ModelNew(nn.Module):
    def forward(self, x, gate):
        rows, cols = x.shape[0], gate.shape[0]
        y = torch.empty((rows, cols), device=x.device, dtype=x.dtype)
        gated_rows[(rows,)](x, gate, y, cols, BLOCK=512)
        return y
