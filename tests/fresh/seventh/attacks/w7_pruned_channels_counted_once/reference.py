import torch
from torch import nn


class Model(nn.Module):
    """Mean over the channels that pruning left."""

    def __init__(self):
        super().__init__()
        kept = [1, 1, 0, 1, 1, 1, 1, 0, 1, 0, 1, 1, 1, 0, 1, 1]
        self.register_buffer("active", torch.tensor(kept, dtype=torch.bool))

    def forward(self, x):
        active = self.active.to(x.dtype)
        total = (x * active[None, :, None, None]).sum(1)
        return total / active.sum()


def get_inputs():
    return [torch.randn(4, 16, 6, 6)]


def get_init_inputs():
    return []
