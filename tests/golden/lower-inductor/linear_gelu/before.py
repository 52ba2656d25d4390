# kernelwright module 1
# name: linear_gelu
# level: torch  digest: 0363798d5313
import torch
import triton
import triton.language as tl

aten = torch.ops.aten

REFERENCE = {
    "entry": "Model",
    "inputs": ["x: f32[10, 12]"],
    "state": ["linear.weight -> linear_weight: f32[24, 12]", "linear.bias -> linear_bias: f32[24]"],
    "outputs": ["out0: f32[24, 10]@[1, 24]", "out1: f32[24]", "out2: f32[10, 12]"],
    "returns": "tuple",
    "tolerance": {"kind": "gold", "factor": 16.0, "rtol": 0.01, "atol": 0.01},
    "shrunken": False,
    "source": '''\
import torch


class Model(torch.nn.Module):
    def __init__(self, features):
        super().__init__()
        self.linear = torch.nn.Linear(features, 24)

    def forward(self, x):
        y = torch.nn.functional.gelu(self.linear(x))
        return y.t(), y.sum(0), x


def get_inputs():
    return [torch.randn(10, 12)]


def get_init_inputs():
    return [12]
''',
}
