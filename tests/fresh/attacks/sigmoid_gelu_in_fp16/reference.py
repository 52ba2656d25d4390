import torch
import torch.nn.functional as F


class Model(torch.nn.Module):
    def forward(self, x):
        return F.gelu(x)


def get_inputs():
    return [torch.randn(16, 48, dtype=torch.float16)]


def get_init_inputs():
    return []
