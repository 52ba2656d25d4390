# kernelwright module 1
# name: mean_of_layer
# level: torch  digest: f098395922cf
import torch
import triton
import triton.language as tl

aten = torch.ops.aten

REFERENCE = {
    "entry": "Model",
    "inputs": ["x: f32[10, 12]"],
    "state": ["layer.weight -> layer_weight: f32[40, 12]", "layer.bias -> layer_bias: f32[40]"],
    "outputs": ["out: f32[10, 12]"],
    "returns": "tensor",
    "tolerance": {"kind": "gold", "factor": 16.0, "rtol": 0.01, "atol": 0.01},
    "shrunken": False,
    "numerics": "torch",
    "source": '''\
import torch


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Linear(12, 40)

    def forward(self, x):
        return x + (self.layer(x) - 0.5).mean(dim=1, keepdim=True)


def get_inputs():
    return [torch.randn(10, 12)]


def get_init_inputs():
    return []
''',
}
