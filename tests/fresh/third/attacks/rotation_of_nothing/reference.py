import torch
from torch import nn
import torch.nn.functional as F


class Model(nn.Module):
    def forward(self, r):
        eye = torch.eye(3, dtype=r.dtype, device=r.device)
        if (r @ r.transpose(-1, -2) - eye).abs().max() > 1e-3:
            raise ValueError("no rotations")
        v = torch.stack((r[:, 2, 1] - r[:, 1, 2], r[:, 0, 2] - r[:, 2, 0], r[:, 1, 0] - r[:, 0, 1]), -1)
        size = v.norm(dim=-1, keepdim=True)
        return v / size.clamp(min=1e-7)


def get_inputs():
    q = torch.linalg.qr(torch.randn(64, 3, 3)).Q
    return [(q * torch.linalg.det(q)[:, None, None]).contiguous()]


def get_init_inputs():
    return []
