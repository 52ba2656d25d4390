import torch
import torch.nn as nn
import torch.nn.functional as F


class Model(nn.Module):
    def forward(self, k_cache, v_cache, k, v, start):
        n = k.shape[1]
        at = start + torch.arange(n, device=k.device)
        k_cache.index_copy_(1, at, k)
        v_cache.index_copy_(1, at, v)
        return k_cache, v_cache


def get_inputs():
    return [torch.randn(2, 16, 10), torch.randn(2, 16, 10), torch.randn(2, 3, 10), torch.randn(2, 3, 10), torch.randint(0, 13, (1,))]


def get_init_inputs():
    return []
