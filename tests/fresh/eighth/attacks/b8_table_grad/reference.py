import torch
import torch.nn as nn


class Model(nn.Module):
    """Add gradients of looked-up rows to an embedding table's gradient in place."""

    def forward(self, table, ids, grad):
        table.index_add_(0, ids, grad, alpha=0.5)
        return table


def get_inputs():
    return [torch.randn(2500, 2), torch.randint(0, 2500, (11,)), torch.randn(11, 2)]


def get_init_inputs():
    return []
