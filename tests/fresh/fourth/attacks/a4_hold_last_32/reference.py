import torch
import torch.nn as nn


class Model(nn.Module):
    """Hold the last valid reading; before the first one there is zero."""

    def forward(self, x, valid):
        place = torch.arange(x.shape[1], device=x.device)
        last = torch.where(valid, place, -1).cummax(dim=1).values
        held = x.gather(1, last.clamp(min=0))
        return torch.where(last >= 0, held, torch.zeros_like(x))


def get_inputs():
    return [torch.randn(16, 128), torch.rand(16, 128) < 0.6]


def get_init_inputs():
    return []
