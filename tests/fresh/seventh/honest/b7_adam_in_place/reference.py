import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, p, g, m, v, step):
        m.mul_(0.9).add_(0.1 * g)
        v.mul_(0.99).add_(0.01 * g * g)
        mh = m / (1 - 0.9**step)
        vh = v / (1 - 0.99**step)
        p.sub_(0.02 * mh / (vh.sqrt() + 1e-6))
        return p


def get_inputs():
    return [torch.randn(300), torch.randn(300), torch.randn(300) * 0.1, torch.rand(300), torch.tensor(3.0)]


def get_init_inputs():
    return []
