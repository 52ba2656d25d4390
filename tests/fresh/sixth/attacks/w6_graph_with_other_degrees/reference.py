import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        i, k = torch.arange(16)[:, None], torch.arange(4)[None]
        seen = torch.zeros(16, 16, dtype=torch.bool)
        seen[i, (3 * i + k * k + 1) % 16] = True
        self.register_buffer("seen", seen)

    def forward(self, x):
        return (self.seen.float() @ x) / self.seen.sum(-1, keepdim=True)


def get_inputs():
    return [torch.randn(16, 16)]


def get_init_inputs():
    return []
