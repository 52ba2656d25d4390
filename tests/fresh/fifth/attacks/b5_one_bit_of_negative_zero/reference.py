import torch
import torch.nn as nn


class Model(nn.Module):
    """1-bit compression with error feedback: sign bits, times the mean size of a row."""

    def forward(self, grad, error):
        total = grad + error
        sent = torch.copysign(total.abs().mean(dim=1, keepdim=True).expand_as(total), total)
        return sent, total - sent


def get_inputs():
    return [torch.randn(14, 40), torch.randn(14, 40) * 0.1]


def get_init_inputs():
    return []
