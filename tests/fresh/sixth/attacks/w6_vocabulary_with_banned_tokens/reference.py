import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self, vocabulary=64):
        super().__init__()
        self.bias = nn.Parameter(torch.zeros(vocabulary))

    def forward(self, logits):
        return torch.log_softmax(logits + self.bias, -1)


def get_inputs():
    return [torch.randn(8, 64)]


def get_init_inputs():
    return []
