import torch


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.limit = torch.nn.Parameter(torch.tensor(0.37))

    def forward(self, x):
        return torch.where(x > self.limit, x, 0.0)


def get_inputs():
    return [torch.randn(16, 48)]


def get_init_inputs():
    return []
