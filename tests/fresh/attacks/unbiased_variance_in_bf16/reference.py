import torch
import torch.nn.functional as F


class Model(torch.nn.Module):
    def forward(self, x):
        return F.layer_norm(x, (64,))


def get_inputs():
    return [torch.randn(16, 64, dtype=torch.bfloat16)]


def get_init_inputs():
    return []
