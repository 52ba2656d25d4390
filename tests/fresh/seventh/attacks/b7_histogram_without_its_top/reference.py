import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, loudness):
        counts = torch.histc(loudness, bins=16, min=-2.0, max=2.0)
        return counts / loudness.numel()


def get_inputs():
    return [torch.randn(700)]


def get_init_inputs():
    return []
