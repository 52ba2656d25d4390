import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.width = width

    def forward(self, values, offsets):
        c = torch.arange(self.width, device=values.device)
        at = offsets[:-1, None] + c[None, :]
        ok = (at < offsets[1:, None]) & (at >= 0) & (at < values.shape[0])
        safe = torch.where(ok, at, 0)
        return torch.where(ok, values[safe], 0.0), ok


def get_inputs():
    return [torch.randn(23), torch.tensor([0, 5, 5, 17, 23])]


def get_init_inputs():
    return [9]
