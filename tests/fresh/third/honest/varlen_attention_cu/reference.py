import torch
import torch.nn as nn


class Model(nn.Module):
    """Packed causal attention: tokens of a sequence see themselves and earlier tokens of the same sequence."""

    def forward(self, q, k, v, starts):
        t, h, d = q.shape
        place = torch.arange(t, device=q.device)
        seq = (place[:, None] >= starts[None, 1:]).sum(1)
        allowed = (seq[:, None] == seq[None, :]) & (place[None, :] <= place[:, None])
        s = torch.einsum("qhd,khd->hqk", q, k) * d**-0.5
        return torch.einsum("hqk,khd->qhd", s.masked_fill(~allowed, float("-inf")).softmax(-1), v)


def get_inputs():
    return [torch.randn(24, 2, 16), torch.randn(24, 2, 16), torch.randn(24, 2, 16), torch.tensor([0, 5, 6, 17])]


def get_init_inputs():
    return []
