import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self, cap):
        super().__init__()
        self.cap = cap

    def forward(self, logits):
        capped = torch.tanh(logits / self.cap) * self.cap
        return capped, capped.softmax(-1)


def get_inputs():
    return [torch.randn(7, 51) * 20]


def get_init_inputs():
    return [30.0]
