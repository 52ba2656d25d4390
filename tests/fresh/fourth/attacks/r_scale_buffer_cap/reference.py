import torch


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("scale", torch.tensor(0.1))

    def forward(self, x):
        return torch.round(x / self.scale).clamp(-127.0, 127.0) * self.scale


def get_inputs():
    return [torch.randn(8, 64)]


def get_init_inputs():
    return []
