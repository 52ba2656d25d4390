import torch
import torch.nn as nn
import torch.nn.functional as F


class Model(nn.Module):
    def __init__(self, channels, state):
        super().__init__()
        self.A_log = nn.Parameter(torch.log(torch.arange(1.0, state + 1)).repeat(channels, 1))
        self.D = nn.Parameter(torch.ones(channels))

    def forward(self, x, dt, B, C, z):
        A = -torch.exp(self.A_log)
        dt = F.softplus(dt)
        h = torch.zeros(x.shape[0], x.shape[2], A.shape[1], dtype=x.dtype, device=x.device)
        ys = []
        for t in range(x.shape[1]):
            h = torch.exp(dt[:, t, :, None] * A) * h + dt[:, t, :, None] * B[:, t, None, :] * x[:, t, :, None]
            ys.append((h * C[:, t, None, :]).sum(-1))
        y = torch.stack(ys, 1) + self.D * x
        return y * F.silu(z)


def get_inputs():
    return [torch.randn(2, 6, 4), torch.randn(2, 6, 4), torch.randn(2, 6, 3), torch.randn(2, 6, 3), torch.randn(2, 6, 4)]


def get_init_inputs():
    return [4, 3]
