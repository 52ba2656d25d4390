import torch
import torch.nn as nn
import torch.nn.functional as F


class Model(nn.Module):
    def forward(self, a, b):
        return torch.gcd(a.long(), b.long())


def get_inputs():
    return [torch.randint(0, 1000, (70,), dtype=torch.int32), torch.randint(0, 1000, (70,), dtype=torch.int32)]


def get_init_inputs():
    return []
