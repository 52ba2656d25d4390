import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, x, packed, scales, zeros):
        shifts = torch.arange(0, 32, 4, device=x.device)
        q = (packed[:, None, :] >> shifts[None, :, None]) & 15
        q = q.reshape(-1, packed.shape[1]).float()
        group = q.shape[0] // scales.shape[0]
        w = (q - zeros.repeat_interleave(group, 0)) * scales.repeat_interleave(group, 0)
        return x @ w


def get_inputs():
    packed = torch.randint(-(2**31), 2**31, (8, 40), dtype=torch.int32)
    return [torch.randn(18, 64), packed, torch.rand(4, 40) * 0.1, torch.randint(0, 16, (4, 40)).float()]


def get_init_inputs():
    return []
