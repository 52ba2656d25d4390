import torch


class Model(torch.nn.Module):
    def __init__(self, width):
        super().__init__()
        self.scale = torch.nn.Parameter(torch.ones(width))

    def forward(self, x):
        return torch.exp(-x * x) * self.scale


def get_inputs():
    return [torch.randn(8, 64)]


def get_init_inputs():
    return [64]
