import torch
import torch.nn as nn
import torch.nn.functional as F


class Model(nn.Module):
    def __init__(self, lr, momentum):
        super().__init__()
        self.lr = lr
        self.momentum = momentum

    def forward(self, p, g, buf):
        g = g + 0.01 * p
        buf = self.momentum * buf + g
        return p - self.lr * (g + self.momentum * buf), buf


def get_inputs():
    return [torch.randn(130), torch.randn(130), torch.randn(130)]


def get_init_inputs():
    return [0.05, 0.8]
