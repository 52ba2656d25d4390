import torch


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.bias = torch.nn.Parameter(torch.zeros(64, dtype=torch.bfloat16))

    def forward(self, a):
        return a * 8.0 + 0.01 * self.bias


def get_inputs():
    return [torch.randn(16, 64, dtype=torch.bfloat16)]


def get_init_inputs():
    return []
