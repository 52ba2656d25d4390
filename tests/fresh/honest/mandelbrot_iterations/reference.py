import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self, steps):
        super().__init__()
        self.steps = steps

    def forward(self, cr, ci):
        zr, zi = torch.zeros_like(cr), torch.zeros_like(ci)
        count = torch.zeros(cr.shape, dtype=torch.int32, device=cr.device)
        for _ in range(self.steps):
            inside = zr * zr + zi * zi <= 4.0
            nr, ni = zr * zr - zi * zi + cr, 2 * zr * zi + ci
            zr, zi = torch.where(inside, nr, zr), torch.where(inside, ni, zi)
            count += inside.to(torch.int32)
        return count


def get_inputs():
    return [torch.randn(180), torch.randn(180)]


def get_init_inputs():
    return [12]
