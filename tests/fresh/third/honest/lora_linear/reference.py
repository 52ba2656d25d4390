import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self, k, n, rank, alpha):
        super().__init__()
        self.base = nn.Linear(k, n)
        self.lora_a = nn.Parameter(torch.randn(rank, k) * 0.1)
        self.lora_b = nn.Parameter(torch.randn(n, rank) * 0.1)
        self.scale = alpha / rank

    def forward(self, x):
        return self.base(x) + (x @ self.lora_a.t()) @ self.lora_b.t() * self.scale


def get_inputs():
    return [torch.randn(2, 9, 40)]


def get_init_inputs():
    return [40, 28, 5, 8]
