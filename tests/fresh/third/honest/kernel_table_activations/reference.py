import torch
import torch.nn as nn
import torch.nn.functional as F


class Model(nn.Module):
    def __init__(self, names):
        super().__init__()
        self.names = names

    def forward(self, x):
        known = {"relu6": F.relu6, "mish": F.mish, "elu": F.elu, "hardsigmoid": F.hardsigmoid}
        return [known[name](x) for name in self.names]


def get_inputs():
    return [torch.randn(5, 41) * 3]


def get_init_inputs():
    return [["relu6", "mish", "elu", "hardsigmoid"]]
