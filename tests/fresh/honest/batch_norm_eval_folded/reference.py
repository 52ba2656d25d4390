import torch
import torch.nn as nn
import torch.nn.functional as F


class Model(nn.Module):
    def __init__(self, c):
        super().__init__()
        self.bn = nn.BatchNorm1d(c)
        self.bn.running_mean.normal_()
        self.bn.running_var.uniform_(0.5, 2.0)
        self.eval()

    def forward(self, x):
        return F.hardtanh(self.bn(x))


def get_inputs():
    return [torch.randn(30, 13)]


def get_init_inputs():
    return [13]
