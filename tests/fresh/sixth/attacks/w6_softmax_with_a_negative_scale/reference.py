import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("scale", torch.tensor(1.0))

    def forward(self, distance):
        return torch.softmax(self.scale * distance, -1)


def get_inputs():
    return [torch.randn(16, 40)]


def get_init_inputs():
    return []
