import torch
import torch.nn as nn
import torch.nn.functional as F


class Model(nn.Module):
    def forward(self, logits, target):
        loss = F.cross_entropy(logits, target, reduction="none", ignore_index=-1)
        p = torch.softmax(logits, -1)
        keep = (target != -1)[:, None]
        one = F.one_hot(torch.where(target == -1, 0, target), logits.shape[1])
        logits.copy_(torch.where(keep, p - one, 0.0))
        return loss


def get_inputs():
    return [torch.randn(13, 77), torch.randint(0, 77, (13,))]


def get_init_inputs():
    return []
