import torch
from torch import nn
import torch.nn.functional as F


class Model(nn.Module):
    def forward(self, key, table):
        return (key[:, :, None] == table[:, None, :]).sum(-1)


def get_inputs():
    return [torch.randint(0, 40, (4, 32)), torch.randint(0, 40, (4, 32))]


def get_init_inputs():
    return []
