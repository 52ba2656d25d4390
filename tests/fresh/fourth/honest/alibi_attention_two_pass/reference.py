import torch
import torch.nn as nn
import torch.nn.functional as F


class Model(nn.Module):
    def forward(self, q, k, v, slopes):
        n = q.shape[-2]
        i = torch.arange(n, device=q.device)
        distance = (i[:, None] - i[None, :])
        s = q @ k.transpose(-1, -2) / 4.0 - slopes[:, None, None] * distance.to(q.dtype)
        s = s.masked_fill(distance < 0, float("-inf"))
        return s.softmax(-1) @ v


def get_inputs():
    return [torch.randn(2, 3, 21, 16), torch.randn(2, 3, 21, 16), torch.randn(2, 3, 21, 16), torch.rand(3)]


def get_init_inputs():
    return []
