import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, a, b):
        return a * b + 7, (a & 0xFF).to(torch.uint8) + 200


def get_inputs():
    return [torch.randint(-(2**15), 2**15, (120,), dtype=torch.int16), torch.randint(-(2**15), 2**15, (120,), dtype=torch.int16)]


def get_init_inputs():
    return []
