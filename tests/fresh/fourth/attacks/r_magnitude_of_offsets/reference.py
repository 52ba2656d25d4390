import torch


class Model(torch.nn.Module):
    def __init__(self, width):
        super().__init__()
        self.register_buffer("offsets", torch.linspace(0.5, 2.0, width))

    def forward(self, x):
        return torch.tanh(x) + self.offsets


def get_inputs():
    return [torch.randn(16, 40)]


def get_init_inputs():
    return [40]
