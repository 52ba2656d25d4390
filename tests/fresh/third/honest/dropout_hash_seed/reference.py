import torch
import torch.nn as nn


class Model(nn.Module):
    """Dropout whose mask is a hash of the seed and the element's number."""

    def __init__(self, seed, threshold):
        super().__init__()
        self.seed = seed
        self.threshold = threshold

    def forward(self, x):
        low = 0xFFFFFFFF
        h = (torch.arange(x.numel(), device=x.device) * 0x9E3779B1 + self.seed) & low
        h = h ^ (h >> 16)
        h = (h * 0x7FEB352D) & low
        h = h ^ (h >> 15)
        h = (h * 0x6C8E9CF5) & low
        h = h ^ (h >> 16)
        keep = (h >= self.threshold).view(x.shape)
        return torch.where(keep, x / (1 - self.threshold / 2**32), torch.zeros_like(x)), keep


def get_inputs():
    return [torch.randn(17, 29)]


def get_init_inputs():
    return [12345, 1073741824]
