import torch


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("edges", torch.linspace(0.05, 0.95, 7))

    def forward(self, x):
        return torch.bucketize(x, self.edges)


def get_inputs():
    return [torch.rand(16, 48)]


def get_init_inputs():
    return []
