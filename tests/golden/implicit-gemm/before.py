# kernelwright module 1
# name: ig
# level: triton  digest: 453f0c95ae55
# record: {"pass_spec": "lower-inductor{channels_last=false}", "parent": "d08a84abb3c52aff320006994d09acd576eb9bf7daf32b8ebf920ada24ca3796", "seconds": 2.017, "seed": 0}
import torch
import triton
import triton.language as tl

aten = torch.ops.aten

REFERENCE = {
    "entry": "Model",
    "inputs": ["x: f32[2, 16, 9, 11]"],
    "state": ["conv.weight -> conv_weight: f32[18, 16, 3, 3]", "conv.bias -> conv_bias: f32[18]"],
    "outputs": ["out: f32[2, 18, 5, 5]"],
    "returns": "tensor",
    "tolerance": {"kind": "gold", "factor": 16.0, "rtol": 0.01, "atol": 0.01},
    "shrunken": False,
    "source": '''\
import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(16, 18, 3, stride=2, padding=(1, 0))

    def forward(self, x):
        return self.conv(x)


def get_inputs():
    return [torch.randn(2, 16, 9, 11)]
''',
}


def forward(x: "f32[2, 16, 9, 11]", conv_weight: "f32[18, 16, 3, 3]", conv_bias: "f32[18]"):
    out = aten.convolution.default(x, conv_weight, conv_bias, (2, 2), (1, 0), (1, 1), False, (0, 0), 1)
    out = out.contiguous()
    return out
