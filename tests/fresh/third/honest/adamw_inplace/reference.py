import torch
import torch.nn as nn


class Model(nn.Module):
    """One step of AdamW; changes the parameter and both moments."""

    def __init__(self, lr, decay, step):
        super().__init__()
        self.lr = lr
        self.decay = decay
        self.step = step

    def forward(self, p, g, m, v):
        p.mul_(1 - self.lr * self.decay)
        m.mul_(0.9).add_(g, alpha=0.1)
        v.mul_(0.95).addcmul_(g, g, value=0.05)
        c1 = 1 - 0.9**self.step
        c2 = 1 - 0.95**self.step
        p.addcdiv_(m, v.sqrt().div_(c2**0.5).add_(1e-8), value=-self.lr / c1)
        return p


def get_inputs():
    return [torch.randn(37, 11), torch.randn(37, 11), torch.randn(37, 11) * 0.1, torch.rand(37, 11)]


def get_init_inputs():
    return [1e-2, 0.1, 3]
