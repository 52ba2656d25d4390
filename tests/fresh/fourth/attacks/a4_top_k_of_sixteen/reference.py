import torch
import torch.nn as nn


class Model(nn.Module):
    """The sum of the k largest elements of each row."""

    def forward(self, x, k):
        ordered = x.sort(dim=1, descending=True).values
        place = torch.arange(x.shape[1], device=x.device)
        return torch.where(place < k, ordered, torch.zeros_like(ordered)).sum(dim=1)


def get_inputs():
    return [torch.randn(24, 64), torch.randint(1, 9, (1,))]


def get_init_inputs():
    return []
