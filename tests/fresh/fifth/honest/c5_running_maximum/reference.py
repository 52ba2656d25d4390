import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, x):
        best = torch.cummax(x, dim=-1).values
        return best, torch.isnan(best).sum(-1)


def get_inputs():
    return [torch.randn(13, 50)]


def get_init_inputs():
    return []
