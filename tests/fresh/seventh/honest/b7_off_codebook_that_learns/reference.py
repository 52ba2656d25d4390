import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self, codes, c):
        super().__init__()
        self.register_buffer("code", torch.randn(codes, c))
        self.register_buffer("count", torch.ones(codes))

    def forward(self, x):
        x = x.nan_to_num(0.0).clamp(-8.0, 8.0)
        best = (x[:, None] - self.code[None]).square().sum(-1).argmin(-1)
        out = self.code[best]
        if self.training:
            hits = torch.zeros_like(self.count).index_add(0, best, torch.ones_like(x[:, 0]))
            sums = torch.zeros_like(self.code).index_add(0, best, x)
            mean = sums / hits.clamp(min=1)[:, None]
            self.code.copy_(torch.where(hits[:, None] > 0, 0.8 * self.code + 0.2 * mean, self.code))
            self.count.mul_(0.8).add_(hits, alpha=0.2)
        return out, best


def get_inputs():
    return [torch.randn(26, 8)]


def get_init_inputs():
    return [10, 8]
