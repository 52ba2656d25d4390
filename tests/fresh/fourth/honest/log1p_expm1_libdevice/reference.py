import torch
import torch.nn as nn
import torch.nn.functional as F


class Model(nn.Module):
    def forward(self, x):
        y = torch.sign(x) * torch.log1p(x.abs())
        return y, torch.sign(x) * torch.expm1(torch.tanh(x).abs())


def get_inputs():
    return [torch.randn(5, 37)]


def get_init_inputs():
    return []
