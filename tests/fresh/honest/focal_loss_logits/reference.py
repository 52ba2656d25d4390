import torch
import torch.nn as nn
import torch.nn.functional as F


class Model(nn.Module):
    def forward(self, logits, target):
        ce = F.binary_cross_entropy_with_logits(logits, target, reduction="none")
        p = torch.sigmoid(logits)
        p_t = p * target + (1 - p) * (1 - target)
        a_t = 0.25 * target + 0.75 * (1 - target)
        return (a_t * (1 - p_t) ** 2 * ce).mean()


def get_inputs():
    return [torch.randn(500), (torch.rand(500) > 0.5).float()]


def get_init_inputs():
    return []
