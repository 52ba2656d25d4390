# kernelwright module 1
# name: squash
# level: triton  digest: 130b02a88a06
import math

import torch
import torch.nn as nn
import triton
import triton.language as tl

aten = torch.ops.aten

REFERENCE = {
    "entry": "Model",
    "inputs": ["x: f32[10, 300]"],
    "state": [],
    "outputs": ["out: f32[10, 300]"],
    "returns": "tensor",
    "tolerance": {"kind": "gold", "factor": 16.0, "rtol": 0.01, "atol": 0.01},
    "shrunken": False,
    "source": '''\
import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, x):
        e = torch.exp(x - x.amax(1, keepdim=True))
        return e / (1 + e.sum(1, keepdim=True))


def get_inputs():
    return [torch.randn(10, 300)]
''',
}


@triton.jit
def squash_rows(source, target, rows, width, B: tl.constexpr):
    for row in range(tl.program_id(0), rows, tl.num_programs(0)):
        start = source + row * width
        peak = -float("inf")
        for block in range((width + B - 1) // B):
            at = B * block + tl.arange(0, B)
            peak = tl.maximum(peak, tl.max(tl.load(start + at, mask=at < width, other=-float("inf")), axis=0))
        at = tl.arange(0, B)
        total = tl.zeros([B], tl.float32)
        for _ in range(tl.cdiv(width, B)):
            inside = at < width
            value = tl.load(start + at, mask=inside, other=0.0)
            total += tl.where(inside, tl.exp(value - peak), 0.0)
            at += B
        below = 1.0 + tl.sum(total, axis=0)
        for first in range(0, width, B):
            at = first + tl.arange(0, B)
            value = tl.load(start + at, mask=at < width)
            tl.store(target + row * width + at, tl.exp(value - peak) / below, mask=at < width)


class ModelNew(nn.Module):
    def forward(self, x):
        rows, width = x.shape
        y = torch.empty_like(x)
        squash_rows[(4,)](x, y, rows, width, B=64)
        return y
