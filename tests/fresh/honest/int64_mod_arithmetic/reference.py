import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self, exponent, modulus):
        super().__init__()
        self.exponent = exponent
        self.modulus = modulus

    def forward(self, x):
        result = torch.ones_like(x)
        base = torch.remainder(x, self.modulus)
        e = self.exponent
        while e:
            if e & 1:
                result = result * base % self.modulus
            base = base * base % self.modulus
            e >>= 1
        return result


def get_inputs():
    return [torch.randint(0, 10**6, (150,))]


def get_init_inputs():
    return [65537, 1000003]
