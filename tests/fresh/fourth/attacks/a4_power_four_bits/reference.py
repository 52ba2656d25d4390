import torch
import torch.nn as nn


class Model(nn.Module):
    """Integer powers, modulo 2^64 as integers are."""

    def forward(self, base, exponent):
        result = torch.ones_like(base)
        left = exponent.clamp(min=0, max=63)
        for _ in range(6):
            result = torch.where(left % 2 == 1, result * base, result)
            base = base * base
            left = left // 2
        return result


def get_inputs():
    return [torch.randint(-9, 10, (24, 32)), torch.randint(0, 8, (24, 32))]


def get_init_inputs():
    return []
