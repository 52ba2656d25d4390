import torch
import torch.nn as nn


class Model(nn.Module):
    """Sums of the values between neighbouring bounds."""

    def forward(self, values, bounds):
        place = torch.arange(values.shape[0], device=values.device)
        own = (place[None, :] >= bounds[:-1, None]) & (place[None, :] < bounds[1:, None])
        return torch.where(own, values[None, :], torch.zeros_like(values)[None, :]).sum(dim=1)


def get_inputs():
    counts = torch.randint(0, 8, (48,))
    bounds = torch.cat([torch.zeros(1, dtype=torch.int64), counts.cumsum(0)])
    return [torch.randn(336), bounds]


def get_init_inputs():
    return []
