import torch
import torch.nn as nn
import torch.nn.functional as F


class Model(nn.Module):
    def forward(self, x):
        return F.unfold(x, (2, 3), padding=(0, 1), stride=(1, 2))


def get_inputs():
    return [torch.randn(2, 3, 5, 8)]


def get_init_inputs():
    return []
