import torch


class Model(torch.nn.Module):
    def forward(self, x):
        return (x - x.mean()) / (x.std(correction=0) + 1e-5)


def get_inputs():
    return [torch.randn(8, 24)]


def get_init_inputs():
    return []
