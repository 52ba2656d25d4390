import torch
import torch.nn as nn


def mulhilo(a, b):
    product_low = (a & 0xFFFF) * b
    product_high = (a >> 16) * b
    low = (product_low + ((product_high & 0xFFFF) << 16)) & 0xFFFFFFFF
    high = (product_high + (product_low >> 16)) >> 16
    return high & 0xFFFFFFFF, low


def philox_word(seed, counter):
    c0, c1, c2, c3 = counter, torch.zeros_like(counter), torch.zeros_like(counter), torch.zeros_like(counter)
    k0, k1 = seed & 0xFFFFFFFF, (seed >> 32) & 0xFFFFFFFF
    for _ in range(10):
        high_b, low_b = mulhilo(c2, 0xCD9E8D57)
        high_a, low_a = mulhilo(c0, 0xD2511F53)
        c0, c2 = high_b ^ c1 ^ k0, high_a ^ c3 ^ k1
        c1, c3 = low_b, low_a
        k0 = (k0 + 0x9E3779B9) & 0xFFFFFFFF
        k1 = (k1 + 0xBB67AE85) & 0xFFFFFFFF
    return c0


class Model(nn.Module):
    def __init__(self, p, seed):
        super().__init__()
        self.p = p
        self.seed = seed

    def forward(self, x):
        counter = torch.arange(x.numel(), device=x.device)
        word = philox_word(self.seed, counter)
        signed = torch.where(word >= 2**31, word - 2**32, word)
        positive = torch.where(signed < 0, -signed - 1, signed)
        uniform = positive.to(torch.float32) * 4.6566127342e-10
        keep = (uniform > self.p).view(x.shape)
        return torch.where(keep, x / (1 - self.p), 0.0)


def get_inputs():
    return [torch.randn(33, 50)]


def get_init_inputs():
    return [0.5, 123]
