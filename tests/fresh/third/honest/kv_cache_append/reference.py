import torch
import torch.nn as nn


class Model(nn.Module):
    """Write a step's keys and values at a position of each sequence; return the caches' valid sums."""

    def forward(self, k_cache, v_cache, k, v, lengths):
        rows = torch.arange(k.shape[0], device=k.device)
        k_cache[rows, :, lengths] = k
        v_cache[rows, :, lengths] = v
        return k_cache, v_cache


def get_inputs():
    lengths = torch.randint(0, 12, (4,))
    return [torch.randn(4, 3, 12, 16), torch.randn(4, 3, 12, 16), torch.randn(4, 3, 16), torch.randn(4, 3, 16), lengths]


def get_init_inputs():
    return []
