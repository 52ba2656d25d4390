import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, cache, new):
        out = cache.clone()
        out[:, 4 : 4 + new.shape[1]] = new
        return out


def get_inputs():
    return [torch.randn(2, 12, 20), torch.randn(2, 3, 20)]


def get_init_inputs():
    return []
