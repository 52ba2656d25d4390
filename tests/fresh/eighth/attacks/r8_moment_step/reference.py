import torch
import torch.nn as nn


class Model(nn.Module):
    """One step of Adam with bias correction; the moments change in place."""

    def __init__(self, rate, first, second):
        super().__init__()
        self.rate, self.first, self.second = rate, first, second

    def forward(self, weight, grad, mean, square, step):
        count = step.to(torch.float32)
        mean.mul_(self.first).add_(grad, alpha=1 - self.first)
        square.mul_(self.second).addcmul_(grad, grad, value=1 - self.second)
        near = mean / (1 - self.first**count)
        root = (square / (1 - self.second**count)).sqrt()
        return weight - self.rate * near / (root + 1e-8)


def get_inputs():
    shape = (24, 30)
    step = torch.randint(1, 5000, (1,))
    return [torch.randn(shape), torch.randn(shape), 0.1 * torch.randn(shape), torch.rand(shape), step]


def get_init_inputs():
    return [0.01, 0.9, 0.999]
