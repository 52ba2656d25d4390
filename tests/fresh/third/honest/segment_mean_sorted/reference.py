import torch
import torch.nn as nn


class Model(nn.Module):
    """Mean of the rows of each segment; segments come as row pointers."""

    def forward(self, x, pointers):
        lengths = pointers[1:] - pointers[:-1]
        out = [x[pointers[i] : pointers[i + 1]].sum(0) for i in range(lengths.shape[0])]
        return torch.stack(out) / lengths.clamp(min=1)[:, None]


def get_inputs():
    return [torch.randn(30, 14), torch.tensor([0, 4, 4, 15, 16, 30])]


def get_init_inputs():
    return []
