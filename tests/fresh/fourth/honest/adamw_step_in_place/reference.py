import torch
import torch.nn as nn
import torch.nn.functional as F


class Model(nn.Module):
    def forward(self, p, g, m, v, step):
        t = step.to(p.dtype)
        p.mul_(1 - 1e-2 * 0.1)
        m.mul_(0.9).add_(g, alpha=0.1)
        v.mul_(0.95).addcmul_(g, g, value=0.05)
        denom = (v / (1 - torch.pow(0.95, t))).sqrt() + 1e-8
        p.sub_(1e-2 * (m / (1 - torch.pow(0.9, t))) / denom)
        return p


def get_inputs():
    return [torch.randn(9, 13), torch.randn(9, 13), torch.randn(9, 13) * 0.1, torch.rand(9, 13) * 0.1, torch.tensor(7)]


def get_init_inputs():
    return []
