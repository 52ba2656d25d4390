import torch


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("gain", torch.ones(48), persistent=False)

    def forward(self, x):
        return torch.tanh(x) * self.gain


def get_inputs():
    return [torch.randn(16, 48)]


def get_init_inputs():
    return []
