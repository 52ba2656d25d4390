import torch


class Model(torch.nn.Module):
    def forward(self, x, scale):
        return x * scale


def get_inputs():
    return [torch.randn(16, 48), torch.rand(()) * 10.0]


def get_init_inputs():
    return []
