import torch
import torch.nn as nn


class Model(nn.Module):
    """Log survival terms of a Cox likelihood over subjects in order of time."""

    def forward(self, risk, event):
        reached = torch.logcumsumexp(risk, 1)
        return -((risk - reached) * event).sum(1)


def get_inputs():
    return [torch.randn(6, 33), (torch.rand(6, 33) < 0.5).float()]


def get_init_inputs():
    return []
