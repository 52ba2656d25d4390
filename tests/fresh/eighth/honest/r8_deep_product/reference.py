import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, a, b):
        return torch.matmul(a.float(), b.float())


def get_inputs():
    return [torch.randn(18, 200).half(), torch.randn(200, 20).half()]


def get_init_inputs():
    return []
