import torch
import torch.nn as nn


class Model(nn.Module):
    """A product of int8 matrices, exact in int32."""

    def __init__(self):
        super().__init__()

    def forward(self, x, w):
        return torch.matmul(x.to(torch.int32), w.to(torch.int32))


def get_inputs():
    return [
        torch.randint(-127, 128, (2, 1104), dtype=torch.int8),
        torch.randint(-127, 128, (1104, 5), dtype=torch.int8),
    ]


def get_init_inputs():
    return []
