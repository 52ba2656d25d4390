import torch
import torch.nn as nn
import torch.nn.functional as F


class Model(nn.Module):
    def __init__(self, temperature):
        super().__init__()
        self.temperature = temperature

    def forward(self, logits, noise):
        return F.softmax((logits + noise) / self.temperature, dim=-1)


def get_inputs():
    return [torch.randn(20, 30), -torch.log(-torch.log(torch.rand(20, 30).clamp(1e-6, 1 - 1e-6)))]


def get_init_inputs():
    return [1.0]
