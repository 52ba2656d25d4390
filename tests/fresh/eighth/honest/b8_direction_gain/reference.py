import torch
import torch.nn as nn


class Model(nn.Module):
    """A convolution over time with weight normalization, and tanh gating, as in WaveNet."""

    def __init__(self, channels, width, dilation):
        super().__init__()
        self.dilation = dilation
        self.direction = nn.Parameter(torch.randn(2 * channels, channels, width))
        self.gain = nn.Parameter(torch.ones(2 * channels))

    def forward(self, x):
        length = self.direction.flatten(1).norm(dim=1)
        weight = self.direction * (self.gain / length)[:, None, None]
        value, gate = torch.nn.functional.conv1d(x, weight, dilation=self.dilation).chunk(2, dim=1)
        return torch.tanh(value) * torch.sigmoid(gate)


def get_inputs():
    return [torch.randn(2, 6, 50)]


def get_init_inputs():
    return [6, 3, 4]
