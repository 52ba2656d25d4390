# kernelwright module 1
# name: gated_rows
# level: triton  digest: 2e834d486ed8
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
    pid = tl.program_id(0)
    x_pointers = x_ptr + pid * 2000
    for start in range(0, 1000, BLOCK):
        offsets = start + tl.arange(0, BLOCK)
        mask = offsets < 1000
        x = tl.load(x_pointers + offsets, mask=mask)
        x_1 = tl.load(x_pointers + 1000 + offsets, mask=mask)
        gate = tl.load(gate_ptr + offsets, mask=mask)
        tl.store(y_ptr + pid * 1000 + offsets, x * tl.sigmoid(gate) + x_1, mask=mask)


class ModelNew(nn.Module):
    def forward(self, x, gate):
        rows, cols = x.shape[0], gate.shape[0]
        y = torch.empty((rows, cols), device=x.device, dtype=x.dtype)
        gated_rows[(rows,)](x, gate, y, cols, BLOCK=512)
        return y
