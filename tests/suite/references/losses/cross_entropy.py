import torch
import torch.nn as nn
import torch.nn.functional as F

batch = 24
classes = 30


class Model(nn.Module):
    """Mean cross entropy."""

    def __init__(self):
        super().__init__()

    def forward(self, logits, targets):
        return F.cross_entropy(logits, targets)


def get_inputs():
    return [torch.randn(batch, classes), torch.randint(0, classes, (batch,))]


def get_init_inputs():
    return []
