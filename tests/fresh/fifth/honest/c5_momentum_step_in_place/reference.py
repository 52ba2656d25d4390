import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self, lr, momentum, decay):
        super().__init__()
        self.lr, self.momentum, self.decay = lr, momentum, decay

    def forward(self, p, g, m):
        g = g + self.decay * p
        m.mul_(self.momentum).add_(g)
        p.sub_(self.lr * (g + self.momentum * m))
        return p


def get_inputs():
    return [torch.randn(33, 21), torch.randn(33, 21), torch.randn(33, 21)]


def get_init_inputs():
    return [0.1, 0.875, 0.0625]
