import torch
import torch.nn as nn
import torch.nn.functional as F


class Model(nn.Module):
    def forward(self, logits, target):
        lse = torch.logsumexp(logits, -1)
        keep = target != -100
        ce = F.cross_entropy(logits, target, ignore_index=-100, reduction="sum")
        z = (lse.pow(2) * keep).sum()
        return (ce + 1e-4 * z) / keep.sum().clamp(min=1)


def get_inputs():
    t = torch.randint(0, 130, (24,))
    t[torch.rand(24) < 0.25] = -100
    return [torch.randn(24, 130), t]


def get_init_inputs():
    return []
