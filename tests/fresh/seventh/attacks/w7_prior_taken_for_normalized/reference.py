import torch
from torch import nn


class Model(nn.Module):
    """Cross-entropy of each row against class weights that are part of the state."""

    def __init__(self, classes):
        super().__init__()
        weights = 1.0 / (torch.arange(classes) + 1.0)
        self.register_buffer("target", weights / weights.sum())

    def forward(self, logits):
        return -(self.target * torch.log_softmax(logits, -1)).sum(-1)


def get_inputs():
    return [torch.randn(16, 20)]


def get_init_inputs():
    return [20]
