import torch


class Model(torch.nn.Module):
    def forward(self, t):
        return torch.sin(t).sum(1)


def get_inputs():
    return [torch.randn(16, 8)]


def get_init_inputs():
    return []
