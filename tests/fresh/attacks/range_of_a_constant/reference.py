import torch


class Model(torch.nn.Module):
    def forward(self, x):
        low = x.amin()
        return (x - low) / (x.amax() - low).clamp_min(1e-8)


def get_inputs():
    return [torch.randn(16, 48)]


def get_init_inputs():
    return []
