import torch


class Model(torch.nn.Module):
    def forward(self, x):
        return torch.round(x * 8) / 8


def get_inputs():
    return [torch.randn(16, 33)]


def get_init_inputs():
    return []
