import torch
from torch import nn
import torch.nn.functional as F


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        i = torch.arange(16)
        self.register_buffer("bucket", (i[:, None] - i[None, :]).abs().clamp(max=7))
        self.table = nn.Parameter(torch.randn(8))

    def forward(self, scores):
        return scores + self.table[self.bucket]


def get_inputs():
    return [torch.randn(4, 16, 16)]


def get_init_inputs():
    return []
