import torch
import torch.nn as nn
import torch.nn.functional as F


class Model(nn.Module):
    def forward(self, z, t):
        ce = F.binary_cross_entropy_with_logits(z, t, reduction="none")
        p = torch.sigmoid(z)
        miss = p * (1 - t) + (1 - p) * t
        return (0.25 * miss * miss * ce).sum(-1)


def get_inputs():
    return [torch.randn(13, 29) * 3, (torch.rand(13, 29) < 0.3).float()]


def get_init_inputs():
    return []
