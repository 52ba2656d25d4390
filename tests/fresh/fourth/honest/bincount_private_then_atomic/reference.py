import torch
import torch.nn as nn
import torch.nn.functional as F


class Model(nn.Module):
    def forward(self, x):
        return torch.bincount(x.clamp(0, 15).flatten(), minlength=16)


def get_inputs():
    return [torch.randint(0, 16, (7, 50))]


def get_init_inputs():
    return []
