import torch
import torch.nn as nn


class Model(nn.Module):
    """Hamming weight of a ^ b, whether it is even, and the bits of both that agree and are set."""

    def forward(self, a, b):
        x = a ^ b
        count = torch.zeros_like(x)
        for bit in range(32):
            count = count + ((x >> bit) & 1)
        return count.to(torch.int16), count % 2 == 0, a & b


def get_inputs():
    low, high = -(2**31), 2**31
    return [torch.randint(low, high, (77,), dtype=torch.int32) for _ in range(2)]


def get_init_inputs():
    return []
