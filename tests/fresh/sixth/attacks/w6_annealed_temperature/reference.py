import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.temperature = 0.7

    def forward(self, logits):
        return torch.softmax(logits / self.temperature, dim=-1)


def get_inputs():
    return [torch.randn(16, 48)]


def get_init_inputs():
    return []
