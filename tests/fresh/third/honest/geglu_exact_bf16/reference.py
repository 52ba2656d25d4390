import torch
import torch.nn as nn
import torch.nn.functional as F


class Model(nn.Module):
    def forward(self, gate, up):
        return F.gelu(gate) * up


def get_inputs():
    return [torch.randn(6, 100).bfloat16(), torch.randn(6, 100).bfloat16()]


def get_init_inputs():
    return []
