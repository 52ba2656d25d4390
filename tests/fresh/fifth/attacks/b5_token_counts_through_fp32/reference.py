import torch
import torch.nn as nn
import torch.nn.functional as F


class Model(nn.Module):
    """Counts how often each of 24 experts was chosen, and gives the balancing bias by their shares."""

    def __init__(self):
        super().__init__()
        self.register_buffer("chosen", torch.zeros(24, dtype=torch.int64))

    def forward(self, experts):
        self.chosen.add_(F.one_hot(experts, 24).sum(dim=0))
        share = self.chosen.to(torch.float32) / self.chosen.sum().clamp(min=1)
        return 1.0 / 24.0 - share


def get_inputs():
    return [torch.randint(0, 24, (300,))]


def get_init_inputs():
    return []
