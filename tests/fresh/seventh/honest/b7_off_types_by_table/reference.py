import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, x, y):
        return (x.float() * y.float()).to(x.dtype), (x.float() - y.float()).to(y.dtype)


def get_inputs():
    return [torch.randn(6, 30).half(), torch.randn(6, 30).bfloat16()]


def get_init_inputs():
    return []
