import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, q, k, v, decay, h0):
        h = h0
        out = []
        for t in range(q.shape[2]):
            h = h * decay[None, :, None, None] + k[:, :, t, :, None] * v[:, :, t, None, :]
            out.append((q[:, :, t, :, None] * h).sum(-2))
        return torch.stack(out, 2), h


def get_inputs():
    return [torch.randn(2, 2, 8, 16), torch.randn(2, 2, 8, 16), torch.randn(2, 2, 8, 16), torch.rand(2), torch.randn(2, 2, 16, 16)]


def get_init_inputs():
    return []
