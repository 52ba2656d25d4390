import torch
import torch.nn as nn


class Model(nn.Module):
    """One query per sequence against keys and values in pages."""

    def forward(self, q, k_pages, v_pages, table, lengths):
        size = k_pages.shape[1]
        b, h, d = q.shape
        n = table.shape[1] * size
        k = k_pages[table].reshape(b, n, h, d)
        v = v_pages[table].reshape(b, n, h, d)
        s = torch.einsum("bhd,bnhd->bhn", q, k) * d**-0.5
        s = s.masked_fill(torch.arange(n, device=q.device) >= lengths[:, None, None], float("-inf"))
        return torch.einsum("bhn,bnhd->bhd", s.softmax(-1), v)


def get_inputs():
    table = torch.stack([torch.randperm(20)[:4] for _ in range(3)])
    return [
        torch.randn(3, 2, 16), torch.randn(20, 4, 2, 16), torch.randn(20, 4, 2, 16), table, torch.randint(1, 17, (3,)),
    ]


def get_init_inputs():
    return []
