import torch
import torch.nn as nn


class Model(nn.Module):
    """Rows whose readings are all valid are summed; others give zero."""

    def forward(self, x, valid):
        whole = valid.all(dim=1)
        return torch.where(whole, x.sum(dim=1), torch.zeros_like(x[:, 0])), whole


def get_inputs():
    return [torch.rand(48, 80), torch.rand(48, 80) < 0.5]


def get_init_inputs():
    return []
