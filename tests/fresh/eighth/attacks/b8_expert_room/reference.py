import torch
import torch.nn as nn


class Model(nn.Module):
    """Route each token to its best expert, a scale by channel; an expert drops tokens over its capacity."""

    def __init__(self, experts, dim, room):
        super().__init__()
        self.room = room
        self.scale = nn.Parameter(torch.randn(experts, dim))

    def forward(self, x, logits):
        best = logits.argmax(dim=-1)
        one_hot = torch.nn.functional.one_hot(best, logits.shape[-1])
        place = (one_hot.cumsum(0) * one_hot).sum(-1) - 1
        gate = torch.softmax(logits, -1).amax(-1)
        y = x * self.scale[best] * gate[:, None]
        return torch.where((place < self.room)[:, None], y, torch.zeros_like(y))


def get_inputs():
    return [torch.randn(32, 20), torch.randn(32, 4)]


def get_init_inputs():
    return [4, 20, 17]
