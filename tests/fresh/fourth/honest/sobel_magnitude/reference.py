import torch
import torch.nn as nn
import torch.nn.functional as F


class Model(nn.Module):
    def forward(self, x):
        p = F.pad(x[:, None], (1, 1, 1, 1), mode="replicate")
        kx = torch.tensor([[-1.0, 0.0, 1.0], [-2.0, 0.0, 2.0], [-1.0, 0.0, 1.0]], dtype=x.dtype, device=x.device)
        gx = F.conv2d(p, kx[None, None])
        gy = F.conv2d(p, kx.t()[None, None])
        return torch.sqrt(gx * gx + gy * gy + 1e-6)[:, 0]


def get_inputs():
    return [torch.randn(2, 9, 10)]


def get_init_inputs():
    return []
