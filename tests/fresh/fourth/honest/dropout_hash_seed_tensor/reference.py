import torch
import torch.nn as nn
import torch.nn.functional as F


class Model(nn.Module):
    def forward(self, x, seed):
        i = torch.arange(x.numel(), device=x.device, dtype=torch.int64)
        h = (i * 2654435761 + seed.abs() % 65536) & 0xFFFFFFFF
        h = ((h ^ (h >> 15)) * 2246822519) & 0xFFFFFFFF
        h = ((h ^ (h >> 13)) * 3266489917) & 0xFFFFFFFF
        keep = ((h ^ (h >> 16)) >= 1073741824).view(x.shape)
        return torch.where(keep, x / 0.75, torch.zeros_like(x)), keep


def get_inputs():
    return [torch.randn(8, 40), torch.randint(0, 10000, (1,))]


def get_init_inputs():
    return []
