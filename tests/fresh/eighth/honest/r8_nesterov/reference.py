import torch
import torch.nn as nn


class Model(nn.Module):
    """A step of SGD with Nesterov momentum and weight decay, in place."""

    def __init__(self, rate, momentum, decay):
        super().__init__()
        self.rate, self.momentum, self.decay = rate, momentum, decay

    def forward(self, weight, grad, speed):
        grad = grad + self.decay * weight
        speed.mul_(self.momentum).add_(grad)
        weight.sub_(self.rate * (grad + self.momentum * speed))
        return weight


def get_inputs():
    return [torch.randn(11, 37), torch.randn(11, 37), torch.randn(11, 37)]


def get_init_inputs():
    return [0.1, 0.9, 0.01]
