import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, x, h, c):
        c2 = torch.sigmoid(x) * c + h
        h2 = c2 * 0.5
        return x + h2, (h2, c2)


def get_inputs():
    return [torch.randn(60), torch.randn(60), torch.randn(60)]


def get_init_inputs():
    return []
