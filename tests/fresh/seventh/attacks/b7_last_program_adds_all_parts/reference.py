import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, student, teacher):
        gap = (student - teacher).abs()
        loss = torch.where(gap < 1.0, 0.5 * gap * gap, gap - 0.5)
        return loss.mean()


def get_inputs():
    return [torch.randn(20, 50), torch.randn(20, 50)]


def get_init_inputs():
    return []
