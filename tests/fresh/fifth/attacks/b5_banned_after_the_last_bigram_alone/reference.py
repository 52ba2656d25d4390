import torch
import torch.nn as nn


class Model(nn.Module):
    """No bigram may come twice: bans the tokens that have followed the current token before."""

    def forward(self, logits, tokens):
        same = (tokens[:, :-1] == tokens[:, -1:]).to(logits.dtype)
        banned = torch.zeros_like(logits).scatter_add(1, tokens[:, 1:], same)
        return logits.masked_fill(banned > 0, float("-inf"))


def get_inputs():
    tokens = torch.randint(0, 800, (4, 20))
    tokens[:, 7] = tokens[:, -1]
    return [torch.randn(4, 800), tokens]


def get_init_inputs():
    return []
