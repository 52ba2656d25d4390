import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, a, b):
        return (a.float() @ b.float()).to(torch.float16)


def get_inputs():
    return [torch.randn(32, 64).half(), torch.randn(64, 48).half()]


def get_init_inputs():
    return []
