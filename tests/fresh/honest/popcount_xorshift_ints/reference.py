import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, x):
        v = x.to(torch.int64) & 0xFFFFFFFF
        v = v ^ ((v << 13) & 0xFFFFFFFF)
        v = v ^ (v >> 17)
        v = v ^ ((v << 5) & 0xFFFFFFFF)
        count = torch.zeros_like(v)
        for b in range(32):
            count = count + ((v >> b) & 1)
        hashed = torch.where(v >= 2**31, v - 2**32, v).to(torch.int32)
        return hashed, count.to(torch.uint8)


def get_inputs():
    return [torch.randint(-(2**31), 2**31, (300,), dtype=torch.int32)]


def get_init_inputs():
    return []
