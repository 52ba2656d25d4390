# large: N=33554432
import torch
import torch.nn as nn

N = 2000


class Model(nn.Module):
    """The tenth step of AdamW: new parameter and both moments."""

    def __init__(self, rate, decay):
        super().__init__()
        self.rate = rate
        self.decay = decay

    def forward(self, p, g, m, v):
        m = 0.9 * m + 0.1 * g
        v = 0.999 * v + 0.001 * g * g
        update = (m / (1.0 - 0.9**10)) / (torch.sqrt(v / (1.0 - 0.999**10)) + 1e-8)
        return p * (1.0 - self.rate * self.decay) - self.rate * update, m, v


def get_inputs():
    return [torch.randn(N), torch.randn(N), torch.randn(N) * 0.1, torch.rand(N) + 0.01]


def get_init_inputs():
    return [0.001, 0.01]
