import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, x, lengths):
        seen = torch.arange(x.shape[1]) < lengths[:, None]
        return torch.where(seen[..., None], torch.exp(-x * x), 0.0)


def get_inputs():
    return [torch.randn(5, 16, 12), torch.randint(0, 17, (5,))]


def get_init_inputs():
    return []
