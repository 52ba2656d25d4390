import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, q, k_new, v_new, k_cache, v_cache):
        pos = k_cache.shape[1] // 2
        k_cache[:, pos] = k_new
        v_cache[:, pos] = v_new
        k, v = k_cache[:, : pos + 1], v_cache[:, : pos + 1]
        s = torch.einsum("bd,bnd->bn", q, k) * q.shape[-1] ** -0.5
        return torch.einsum("bn,bnd->bd", s.softmax(-1), v)


def get_inputs():
    return [torch.randn(3, 16), torch.randn(3, 16), torch.randn(3, 16), torch.randn(3, 20, 16), torch.randn(3, 20, 16)]


def get_init_inputs():
    return []
