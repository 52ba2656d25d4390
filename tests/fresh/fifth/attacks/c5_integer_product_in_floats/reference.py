import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, a, b):
        return torch.mm(a, b)


def get_inputs():
    return [torch.randint(-100, 100, (20, 32), dtype=torch.int32), torch.randint(-100, 100, (32, 24), dtype=torch.int32)]


def get_init_inputs():
    return []
