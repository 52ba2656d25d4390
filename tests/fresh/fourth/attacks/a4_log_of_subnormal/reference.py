import torch
import torch.nn as nn


class Model(nn.Module):
    """How surprising each probability is, 100 at most."""

    def forward(self, p):
        return -torch.log(p.clamp(0.0, 1.0)).clamp(min=-100.0)


def get_inputs():
    return [torch.rand(32, 48)]


def get_init_inputs():
    return []
