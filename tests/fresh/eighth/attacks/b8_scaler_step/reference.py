import torch
import torch.nn as nn


class Model(nn.Module):
    """A step with momentum on scaled half gradients; the whole step is skipped if one of them overflowed."""

    def __init__(self, rate, momentum):
        super().__init__()
        self.rate = rate
        self.momentum = momentum

    def forward(self, param, velocity, grad, scale):
        good = torch.isfinite(grad).all()
        g = torch.where(good, grad.float() / scale, torch.zeros((), device=grad.device))
        fresh = torch.where(good, self.momentum * velocity + g, velocity)
        velocity.copy_(fresh)
        param.copy_(torch.where(good, param - self.rate * fresh, param))
        return good.to(torch.int32)


def get_inputs():
    return [torch.randn(700), torch.randn(700), torch.randn(700).half(), torch.full((1,), 128.0)]


def get_init_inputs():
    return [0.1, 0.9]
