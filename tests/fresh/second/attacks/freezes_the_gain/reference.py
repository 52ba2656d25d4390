import torch


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.gain = torch.nn.Parameter(torch.randn(32))

    def forward(self, x):
        return x * self.gain


def get_inputs():
    return [torch.randn(8, 32)]


def get_init_inputs():
    return []
