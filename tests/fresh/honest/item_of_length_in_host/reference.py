import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, x, length):
        keep = torch.arange(x.shape[0], device=x.device) < length
        return torch.where(keep[:, None], x * 3, 0.0)


def get_inputs():
    return [torch.randn(20, 16), torch.tensor(12)]


def get_init_inputs():
    return []
