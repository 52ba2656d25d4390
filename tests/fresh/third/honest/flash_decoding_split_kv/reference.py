import math

import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, q, k, v):
        group = q.shape[1] // k.shape[1]
        k = k.repeat_interleave(group, dim=1)
        v = v.repeat_interleave(group, dim=1)
        s = torch.einsum("bhd,bhnd->bhn", q, k) / math.sqrt(q.shape[-1])
        return torch.einsum("bhn,bhnd->bhd", s.softmax(-1), v)


def get_inputs():
    return [torch.randn(2, 6, 16), torch.randn(2, 2, 45, 16), torch.randn(2, 2, 45, 16)]


def get_init_inputs():
    return []
