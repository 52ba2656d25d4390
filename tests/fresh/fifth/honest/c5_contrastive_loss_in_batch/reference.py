import torch
import torch.nn as nn
import torch.nn.functional as F


class Model(nn.Module):
    def __init__(self, temperature):
        super().__init__()
        self.temperature = temperature

    def forward(self, query, key):
        query, key = F.normalize(query, dim=-1), F.normalize(key, dim=-1)
        logits = query @ key.T / self.temperature
        return F.cross_entropy(logits, torch.arange(len(query), device=query.device))


def get_inputs():
    return [torch.randn(24, 20), torch.randn(24, 20)]


def get_init_inputs():
    return [0.1]
