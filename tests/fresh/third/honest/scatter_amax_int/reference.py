import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, base, places, values):
        return base.scatter_reduce(0, places, values, "amax", include_self=True)


def get_inputs():
    return [
        torch.randint(-9, 10, (23,), dtype=torch.int32), torch.randint(0, 23, (90,)),
        torch.randint(-50, 50, (90,), dtype=torch.int32),
    ]


def get_init_inputs():
    return []
