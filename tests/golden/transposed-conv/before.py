# kernelwright module 1
# name: tc
# level: triton  digest: 9d300d07c89d
# record: {"pass_spec": "lower-inductor{channels_last=false}", "parent": "a54b813eaa698a1420e66b808a0ac264f4f2a35baa52f43fd12d77ea8ac36106", "seconds": 1.516, "seed": 0}
import torch
import triton
import triton.language as tl

aten = torch.ops.aten

REFERENCE = {
    "entry": "Model",
    "inputs": ["x: f32[2, 6, 5, 7]"],
    "state": ["conv.weight -> conv_weight: f32[6, 2, 3, 3]", "conv.bias -> conv_bias: f32[4]"],
    "outputs": ["out: f32[2, 4, 11, 19]"],
    "returns": "tensor",
    "tolerance": {"kind": "gold", "factor": 16.0, "rtol": 0.01, "atol": 0.01},
    "shrunken": False,
    "source": '''\
import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.ConvTranspose2d(6, 4, 3, stride=(2, 3), padding=1, dilation=(2, 1), groups=2)

    def forward(self, x):
        return self.conv(x)


def get_inputs():
    return [torch.randn(2, 6, 5, 7)]
''',
}


def forward(x: "f32[2, 6, 5, 7]", conv_weight: "f32[6, 2, 3, 3]", conv_bias: "f32[4]"):
    out = aten.convolution.default(x, conv_weight, conv_bias, (2, 3), (1, 1), (2, 1), True, (0, 0), 2)
    out = out.contiguous()
    return out
