import torch


class Model(torch.nn.Module):
    def forward(self, x):
        return torch.where(x * 4 >= 3, x + 1, x)


def get_inputs():
    return [torch.randn(12, 40)]


def get_init_inputs():
    return []
