import torch


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = torch.nn.Parameter(torch.randn(16, 32))

    def forward(self, x):
        return x @ self.weight.t()


def get_inputs():
    return [torch.randn(8, 32)]


def get_init_inputs():
    return []
