import torch
import torch.nn.functional as F


class Model(torch.nn.Module):
    def forward(self, x):
        return F.max_pool1d(x, 4)


def get_inputs():
    return [torch.randn(2, 8, 64)]


def get_init_inputs():
    return []
