import torch
import torch.nn as nn


class Model(nn.Module):
    """A step of SGD with weight decay and Nesterov's momentum, in place."""

    def __init__(self, momentum, decay):
        super().__init__()
        self.momentum = momentum
        self.decay = decay

    def forward(self, param, velocity, grad, rate):
        g = grad + self.decay * param
        velocity.mul_(self.momentum).add_(g)
        param.sub_(rate * (g + self.momentum * velocity))
        return param


def get_inputs():
    return [torch.randn(37, 23), torch.randn(37, 23), torch.randn(37, 23), torch.rand(1) * 0.1]


def get_init_inputs():
    return [0.9, 0.01]
