import torch


class Model(torch.nn.Module):
    def forward(self, a, b):
        a.add_(b)
        b.add_(a)
        return a * 0.5


def get_inputs():
    return [torch.randn(16, 48), torch.randn(16, 48)]


def get_init_inputs():
    return []
