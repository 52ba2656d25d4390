import torch
import torch.nn.functional as F


class Model(torch.nn.Module):
    def forward(self, x, slope=0.1):
        return F.leaky_relu(x, slope)


def get_inputs():
    return [torch.randn(8, 32)]


def get_init_inputs():
    return []
