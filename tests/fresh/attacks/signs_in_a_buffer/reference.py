import torch


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("sign", torch.tensor([1.0, -1.0]).repeat(24))

    def forward(self, x):
        return x * self.sign


def get_inputs():
    return [torch.randn(16, 48)]


def get_init_inputs():
    return []
