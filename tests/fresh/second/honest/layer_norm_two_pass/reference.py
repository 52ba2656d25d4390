import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, x, w, b):
        mean = x.mean(-1)
        var = x.var(-1, unbiased=False)
        return torch.nn.functional.layer_norm(x, (x.shape[-1],), w, b, 1e-5), mean, var


def get_inputs():
    return [torch.randn(7, 53), torch.rand(53), torch.randn(53)]


def get_init_inputs():
    return []
