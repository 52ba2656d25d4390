import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        i, k = torch.arange(16)[:, None], torch.arange(4)[None]
        seen = torch.zeros(16, 16, dtype=torch.bool)
        seen[i, (3 * i + k * k + 1) % 16] = True
        self.register_buffer("seen", seen)

    def forward(self, scores):
        filled = scores.masked_fill(~self.seen, -1e30)
        p = torch.softmax(filled, -1)
        return torch.where(self.seen.any(-1, keepdim=True), p, 0.0)


def get_inputs():
    return [torch.randn(4, 16, 16)]


def get_init_inputs():
    return []
