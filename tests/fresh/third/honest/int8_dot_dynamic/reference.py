import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, a, b):
        return (a.to(torch.int32) @ b.to(torch.int32)) >> 4


def get_inputs():
    return [
        torch.randint(-128, 128, (20, 70), dtype=torch.int8), torch.randint(-128, 128, (70, 24), dtype=torch.int8),
    ]


def get_init_inputs():
    return []
