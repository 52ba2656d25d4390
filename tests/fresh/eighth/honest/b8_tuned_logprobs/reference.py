import torch
import torch.nn as nn


class Model(nn.Module):
    """Logarithms of probabilities with capped logits, and their entropy."""

    def __init__(self, cap):
        super().__init__()
        self.cap = cap

    def forward(self, logits):
        z = self.cap * torch.tanh(logits / self.cap)
        logp = torch.log_softmax(z, dim=-1)
        return logp, -(logp.exp() * logp).sum(-1)


def get_inputs():
    return [torch.randn(15, 300) * 3]


def get_init_inputs():
    return [20.0]
