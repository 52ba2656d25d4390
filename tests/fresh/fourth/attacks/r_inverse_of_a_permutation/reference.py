import torch


class Model(torch.nn.Module):
    def __init__(self, width):
        super().__init__()
        self.register_buffer("places", torch.arange(width).flip(0))

    def forward(self, x):
        return x[:, self.places] * 2.0


def get_inputs():
    return [torch.randn(8, 32)]


def get_init_inputs():
    return [32]
