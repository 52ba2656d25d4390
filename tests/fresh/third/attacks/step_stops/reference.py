import torch
from torch import nn
import torch.nn.functional as F


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("step", torch.zeros((), dtype=torch.int64))
        self.register_buffer("mean", torch.zeros(64))

    def forward(self, x):
        self.step += 1
        self.mean.mul_(0.98).add_(x.mean(0), alpha=0.02)
        return self.mean / (1 - 0.98 ** self.step.double()).float()


def get_inputs():
    return [torch.randn(8, 64)]


def get_init_inputs():
    return []
