import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, codes, book):
        return book[codes.long()]


def get_inputs():
    return [torch.randint(0, 16, (200,), dtype=torch.int32), torch.randn(16)]


def get_init_inputs():
    return []
