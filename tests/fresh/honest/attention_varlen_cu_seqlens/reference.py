import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, q, k, v, cu):
        total = q.shape[0]
        i = torch.arange(total, device=q.device)
        seq = (i[:, None] >= cu[None, 1:]).sum(1)
        same = seq[:, None] == seq[None, :]
        s = torch.einsum("qhd,khd->hqk", q, k) * (q.shape[-1] ** -0.5)
        s = s.masked_fill(~same[None], float("-inf"))
        return torch.einsum("hqk,khd->qhd", s.softmax(-1), v)


def get_inputs():
    cu = torch.tensor([0, 7, 7, 30, 41], dtype=torch.int32)
    return [torch.randn(41, 2, 16), torch.randn(41, 2, 16), torch.randn(41, 2, 16), cu]


def get_init_inputs():
    return []
