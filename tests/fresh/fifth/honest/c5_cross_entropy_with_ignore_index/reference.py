import torch
import torch.nn as nn
import torch.nn.functional as F


class Model(nn.Module):
    def __init__(self, smoothing):
        super().__init__()
        self.smoothing = smoothing

    def forward(self, logits, target):
        return F.cross_entropy(logits, target, ignore_index=-100, label_smoothing=self.smoothing)


def get_inputs():
    target = torch.randint(0, 50, (24,))
    target[torch.rand(24) < 0.2] = -100
    return [torch.randn(24, 50), target]


def get_init_inputs():
    return [0.1]
