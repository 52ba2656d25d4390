# kernelwright module 1
# name: dwl
# level: triton  digest: 0251820dacc8
import torch
import triton
import triton.language as tl

aten = torch.ops.aten

REFERENCE = {
    "entry": "Model",
    "inputs": ["x: f32[2, 6, 9, 15]@[810, 1, 90, 6]"],
    "state": ["conv.weight -> conv_weight: f32[6, 1, 3, 2]", "conv.bias -> conv_bias: f32[6]"],
    "outputs": ["out: f32[2, 6, 9, 14]@[756, 1, 84, 6]"],
    "returns": "tensor",
    "tolerance": {"kind": "gold", "factor": 16.0, "rtol": 0.01, "atol": 0.01},
    "shrunken": False,
    "source": '''\
import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(6, 6, (3, 2), padding=(1, 0), groups=6)

    def forward(self, x):
        return self.conv(x)


def get_inputs():
    return [torch.randn(2, 6, 9, 15).to(memory_format=torch.channels_last)]
''',
}


def forward(x: "f32[2, 6, 9, 15]@[810, 1, 90, 6]", conv_weight: "f32[6, 1, 3, 2]", conv_bias: "f32[6]"):
    out = aten.convolution.default(x, conv_weight, conv_bias, (1, 1), (1, 0), (1, 1), False, (0, 0), 6)
    out = out.contiguous(memory_format=torch.channels_last)
    return out
