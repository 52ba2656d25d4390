import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, p, g, m, v):
        lr, b1, b2, eps, wd, t = 1e-2, 0.9, 0.95, 1e-8, 0.1, 3
        p.mul_(1 - lr * wd)
        m.mul_(b1).add_(g, alpha=1 - b1)
        v.mul_(b2).addcmul_(g, g, value=1 - b2)
        m_hat = m / (1 - b1**t)
        v_hat = v / (1 - b2**t)
        p.sub_(lr * m_hat / (v_hat.sqrt() + eps))
        return p


def get_inputs():
    return [torch.randn(333), torch.randn(333), torch.randn(333), torch.rand(333)]


def get_init_inputs():
    return []
