import torch
import torch.nn as nn


class Model(nn.Module):
    """A leaky average along time for each channel, with gain and bias."""

    def __init__(self, channels, decay):
        super().__init__()
        self.decay = decay
        self.gain = nn.Parameter(torch.randn(channels))
        self.bias = nn.Parameter(torch.randn(channels))

    def forward(self, x):
        level = torch.zeros_like(x[..., 0])
        steps = []
        for t in range(x.shape[-1]):
            level = self.decay * level + (1 - self.decay) * x[..., t]
            steps.append(level)
        return torch.stack(steps, -1) * self.gain[:, None] + self.bias[:, None]


def get_inputs():
    return [torch.randn(3, 4, 120)]


def get_init_inputs():
    return [4, 0.75]
