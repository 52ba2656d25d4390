# kernelwright module 1
# name: pooled_convolution
# level: torch  digest: 05e4f0c27143
import torch
import triton
import triton.language as tl

aten = torch.ops.aten

REFERENCE = {
    "entry": "Model",
    "inputs": ["x: f32[2, 2, 8, 9]"],
    "state": [
        "convolution.weight -> convolution_weight: f32[4, 2, 3, 3]",
        "convolution.bias -> convolution_bias: f32[4]",
    ],
    "outputs": ["out: f32[2, 4, 3, 3]"],
    "returns": "tensor",
    "tolerance": {"kind": "gold", "factor": 16.0, "rtol": 0.01, "atol": 0.01},
    "shrunken": False,
    "numerics": "torch",
    "source": '''\
import torch


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.convolution = torch.nn.Conv2d(2, 4, 3)

    def forward(self, x):
        return torch.nn.functional.avg_pool2d(self.convolution(x) * 3.0, 2).relu()


def get_inputs():
    return [torch.randn(2, 2, 8, 9)]


def get_init_inputs():
    return []
''',
}
