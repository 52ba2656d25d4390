import torch


class Model(torch.nn.Module):
    def forward(self, x):
        return x.amin(0)


def get_inputs():
    return [torch.randn(20, 32)]


def get_init_inputs():
    return []
