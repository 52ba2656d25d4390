import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, a, b):
        return torch.gcd(a, b)


def get_inputs():
    return [torch.randint(0, 1000, (200,), dtype=torch.int32), torch.randint(0, 1000, (200,), dtype=torch.int32)]


def get_init_inputs():
    return []
