import torch
import torch.nn as nn


class Model(nn.Module):
    """Causal attention and the log-sum-exp of each row of scores."""

    def forward(self, q, k, v):
        scores = (q @ k.transpose(-1, -2)) * q.shape[-1] ** -0.5
        n = q.shape[-2]
        scores = scores.masked_fill(torch.ones(n, n, dtype=torch.bool, device=q.device).triu(1), float("-inf"))
        return scores.softmax(-1) @ v, scores.logsumexp(-1)


def get_inputs():
    return [torch.randn(2, 2, 37, 16) for _ in range(3)]


def get_init_inputs():
    return []
