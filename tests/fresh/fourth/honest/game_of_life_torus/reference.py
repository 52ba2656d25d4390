import torch
import torch.nn as nn
import torch.nn.functional as F


class Model(nn.Module):
    def forward(self, grid):
        g = (grid != 0).to(torch.int32)
        for _ in range(2):
            n = sum(torch.roll(g, (a, b), (0, 1)) for a in (-1, 0, 1) for b in (-1, 0, 1) if (a, b) != (0, 0))
            g = ((n == 3) | ((n == 2) & (g == 1))).to(torch.int32)
        return g


def get_inputs():
    return [torch.randint(0, 2, (11, 13), dtype=torch.int32)]


def get_init_inputs():
    return []
