import torch
import torch.nn as nn
import torch.nn.functional as F


class Model(nn.Module):
    def forward(self, w, u, k, v):
        B, T, C = k.shape
        aa = torch.zeros(B, C, dtype=k.dtype, device=k.device)
        bb = torch.zeros_like(aa)
        pp = torch.full_like(aa, -1e38)
        decay = -torch.exp(w)
        out = []
        for t in range(T):
            ww = u + k[:, t]
            p = torch.maximum(pp, ww)
            e1, e2 = torch.exp(pp - p), torch.exp(ww - p)
            out.append((e1 * aa + e2 * v[:, t]) / (e1 * bb + e2))
            ww = pp + decay
            p = torch.maximum(ww, k[:, t])
            e1, e2 = torch.exp(ww - p), torch.exp(k[:, t] - p)
            aa, bb, pp = e1 * aa + e2 * v[:, t], e1 * bb + e2, p
        return torch.stack(out, 1)


def get_inputs():
    return [torch.randn(7), torch.randn(7), torch.randn(2, 10, 7), torch.randn(2, 10, 7)]


def get_init_inputs():
    return []
