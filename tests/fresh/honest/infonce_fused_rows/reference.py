import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self, temperature):
        super().__init__()
        self.temperature = temperature

    def forward(self, a, b):
        logits = a @ b.t() / self.temperature
        return -torch.log_softmax(logits, -1).diagonal()


def get_inputs():
    return [torch.randn(22, 16) * 0.5, torch.randn(22, 16) * 0.5]


def get_init_inputs():
    return [0.5]
