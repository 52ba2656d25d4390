import torch
import torch.nn as nn
import torch.nn.functional as F


class Model(nn.Module):
    def forward(self, x, running_mean, running_var, gamma, beta):
        mean = x.mean(0)
        var = x.var(0, unbiased=False)
        y = (x - mean) / torch.sqrt(var + 1e-5) * gamma + beta
        n = x.shape[0]
        new_mean = 0.9 * running_mean + 0.1 * mean
        new_var = 0.9 * running_var + 0.1 * var * n / (n - 1)
        return y, new_mean, new_var


def get_inputs():
    return [torch.randn(37, 20), torch.randn(20), torch.rand(20) + 0.5, torch.randn(20), torch.randn(20)]


def get_init_inputs():
    return []
