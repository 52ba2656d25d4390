import torch
from torch import nn


class Model(nn.Module):
    """Inputs standardized by what was seen in training."""

    def __init__(self, width, share):
        super().__init__()
        self.share = share
        self.register_buffer("centre", torch.zeros(width))
        self.register_buffer("spread", torch.ones(width))

    def forward(self, x):
        if self.training:
            centre = x.mean(0)
            self.centre.mul_(1 - self.share).add_(centre, alpha=self.share)
            self.spread.mul_(1 - self.share).add_((x - centre).abs().mean(0), alpha=self.share)
        return (x - self.centre) / (self.spread.abs() + 0.01)


def get_inputs():
    return [torch.randn(16, 24)]


def get_init_inputs():
    return [24, 0.25]
