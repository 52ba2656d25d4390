import torch
import torch.nn as nn


class Model(nn.Module):
    """Lion: lists of parameters, gradients and momenta; changes parameters and momenta in place."""

    def __init__(self, lr, decay):
        super().__init__()
        self.lr = lr
        self.decay = decay

    def forward(self, params, grads, momenta):
        for p, g, m in zip(params, grads, momenta):
            update = (m * 0.875 + g * 0.125).sign()
            p.mul_(1 - self.lr * self.decay).sub_(update * self.lr)
            m.mul_(0.96875).add_(g * 0.03125)
        return params


def get_inputs():
    shapes = [(7, 5), (33,), (2, 3, 4)]
    return [[torch.randn(s) for s in shapes] for _ in range(3)]


def get_init_inputs():
    return [0.01, 0.1]
