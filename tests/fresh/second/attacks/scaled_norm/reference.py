import torch


class Model(torch.nn.Module):
    def forward(self, x):
        size = x.abs().amax(1, keepdim=True)
        return (size * (x / size).square().sum(1, keepdim=True).sqrt()).squeeze(1)


def get_inputs():
    return [torch.randn(12, 32)]


def get_init_inputs():
    return []
