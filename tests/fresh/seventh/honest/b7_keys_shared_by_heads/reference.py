import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, q, k, v, length):
        b, hq, d = q.shape
        hk, t = k.shape[1], k.shape[2]
        k = k.repeat_interleave(hq // hk, 1)
        v = v.repeat_interleave(hq // hk, 1)
        s = torch.einsum("bhd,bhtd->bht", q, k) / d**0.5
        seen = torch.arange(t) < length.clamp(1, t)[:, None]
        s = s.masked_fill(~seen[:, None], float("-inf"))
        return torch.einsum("bht,bhtd->bhd", s.softmax(-1), v.masked_fill(~seen[:, None, :, None], 0.0))


def get_inputs():
    return [torch.randn(3, 6, 16), torch.randn(3, 2, 21, 16), torch.randn(3, 2, 21, 16), torch.randint(1, 22, (3,))]


def get_init_inputs():
    return []
