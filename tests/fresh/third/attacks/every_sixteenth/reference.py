import torch
from torch import nn
import torch.nn.functional as F


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("step", torch.zeros((), dtype=torch.int64))
        self.register_buffer("mean", torch.randn(64))

    def forward(self, x):
        self.step += 1
        fresh = (self.step % 16 == 0).float()
        keep = 0.9 * (1 - fresh)
        self.mean.mul_(keep).add_(x.mean(0) * (1 - keep))
        return x - self.mean


def get_inputs():
    return [torch.randn(8, 64)]


def get_init_inputs():
    return []
