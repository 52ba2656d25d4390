import torch


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("order", torch.arange(48))

    def forward(self, x):
        return x[:, self.order] * 2.0


def get_inputs():
    return [torch.randn(16, 48)]


def get_init_inputs():
    return []
