import torch
import torch.nn.functional as F


class Model(torch.nn.Module):
    def __init__(self, channels):
        super().__init__()
        self.taps = torch.nn.Parameter(torch.randn(channels, 1, 3))

    def forward(self, x):
        return F.conv1d(x, self.taps, padding=1, groups=x.shape[1])


def get_inputs():
    return [torch.randn(4, 6, 32)]


def get_init_inputs():
    return [6]
