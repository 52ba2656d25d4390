import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, x):
        return torch.cumsum(x, dim=0)


def get_inputs():
    return [torch.randint(-40, 40, (333,), dtype=torch.int32).to(torch.int64)]


def get_init_inputs():
    return []
