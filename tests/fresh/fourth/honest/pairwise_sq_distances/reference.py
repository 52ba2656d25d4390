import torch
import torch.nn as nn
import torch.nn.functional as F


class Model(nn.Module):
    def forward(self, x, y):
        return (x[:, None, :] - y[None, :, :]).pow(2).sum(-1)


def get_inputs():
    return [torch.randn(13, 10), torch.randn(17, 10)]


def get_init_inputs():
    return []
