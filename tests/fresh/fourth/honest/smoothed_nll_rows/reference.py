import torch
import torch.nn as nn
import torch.nn.functional as F


class Model(nn.Module):
    def forward(self, logits, target):
        return F.cross_entropy(logits, target, label_smoothing=0.2, reduction="none")


def get_inputs():
    return [torch.randn(17, 50), torch.randint(0, 50, (17,))]


def get_init_inputs():
    return []
