import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self, lr, b1, b2, eps, decay):
        super().__init__()
        self.lr, self.b1, self.b2, self.eps, self.decay = lr, b1, b2, eps, decay

    def forward(self, p, g, m, v, fix1, fix2):
        p.mul_(1 - self.lr * self.decay)
        m.mul_(self.b1).add_(g * (1 - self.b1))
        v.mul_(self.b2).add_(g * g * (1 - self.b2))
        p.sub_(self.lr * (m / fix1) / ((v / fix2).sqrt() + self.eps))
        return p, m, v


def get_inputs():
    return [torch.randn(600), torch.randn(600), torch.randn(600), torch.rand(600), torch.tensor(0.5), torch.tensor(0.25)]


def get_init_inputs():
    return [0.01, 0.875, 0.9375, 1e-8, 0.125]
