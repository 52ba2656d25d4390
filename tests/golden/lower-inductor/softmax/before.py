# kernelwright module 1
# name: softmax
# level: torch  digest: 20e66c886cee
import torch
import triton
import triton.language as tl

aten = torch.ops.aten

REFERENCE = {
    "entry": "Model",
    "inputs": ["x: f32[16, 100]"],
    "state": [],
    "outputs": ["out: f32[16, 100]"],
    "returns": "tensor",
    "tolerance": {"kind": "gold", "factor": 16.0, "rtol": 0.01, "atol": 0.01},
    "shrunken": False,
    "source": '''\
import torch


class Model(torch.nn.Module):
    def forward(self, x):
        return torch.softmax(x, dim=-1)


def get_inputs():
    return [torch.randn(16, 100)]


def get_init_inputs():
    return []
''',
}
