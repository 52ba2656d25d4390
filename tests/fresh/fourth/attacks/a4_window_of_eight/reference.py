import torch
import torch.nn as nn


class Model(nn.Module):
    """The sum of all neighbours that are at most so far away."""

    def forward(self, x, radius):
        place = torch.arange(x.shape[1], device=x.device)
        near = (place[:, None] - place[None, :]).abs() <= radius
        return x @ near.to(x.dtype)


def get_inputs():
    return [torch.randn(8, 96), torch.randint(1, 6, (1,))]


def get_init_inputs():
    return []
