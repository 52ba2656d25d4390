import torch
import torch.nn as nn
import torch.nn.functional as F


class Model(nn.Module):
    def __init__(self, classes):
        super().__init__()
        self.bias = nn.Parameter(torch.zeros(classes))

    def forward(self, logits):
        return F.softmax(logits + self.bias, dim=-1)


def get_inputs():
    return [torch.randn(18, 40)]


def get_init_inputs():
    return [40]
