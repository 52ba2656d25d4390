# kernelwright module 1
# name: group_norm_mean
# level: torch  digest: b7df19361133
import torch
import triton
import triton.language as tl

aten = torch.ops.aten

REFERENCE = {
    "entry": "Model",
    "inputs": ["x: f32[2, 6, 5, 8]"],
    "state": ["norm.weight -> norm_weight: f32[6]", "norm.bias -> norm_bias: f32[6]"],
    "outputs": ["out: f32[2, 6]"],
    "returns": "tensor",
    "tolerance": {"kind": "gold", "factor": 16.0, "rtol": 0.01, "atol": 0.01},
    "shrunken": False,
    "numerics": "torch",
    "source": '''\
import torch


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.norm = torch.nn.GroupNorm(2, 6)

    def forward(self, x):
        return self.norm(torch.nn.functional.silu(x)).mean(dim=(2, 3))


def get_inputs():
    return [torch.randn(2, 6, 5, 8)]


def get_init_inputs():
    return []
''',
}
