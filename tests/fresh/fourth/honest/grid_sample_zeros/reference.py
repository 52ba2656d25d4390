import torch
import torch.nn as nn
import torch.nn.functional as F


class Model(nn.Module):
    def forward(self, x, grid):
        return F.grid_sample(x, torch.tanh(grid) * 1.2, mode="bilinear", padding_mode="zeros", align_corners=True)


def get_inputs():
    return [torch.randn(2, 3, 6, 7), torch.randn(2, 4, 5, 2)]


def get_init_inputs():
    return []
