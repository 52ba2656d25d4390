import torch
import torch.nn as nn


class Model(nn.Module):
    """A histogram of activations in 26 bins between -6.5 and 6.5, for calibration."""

    def forward(self, x):
        return torch.histc(x, bins=26, min=-6.5, max=6.5)


def get_inputs():
    return [torch.randn(12, 50) * 2.0]


def get_init_inputs():
    return []
