import torch
import torch.nn as nn
import torch.nn.functional as F


class Model(nn.Module):
    def __init__(self, segments):
        super().__init__()
        self.segments = segments

    def forward(self, values, ids):
        out = torch.zeros(self.segments, values.shape[1], dtype=values.dtype, device=values.device)
        return out.index_add(0, ids, values)


def get_inputs():
    return [torch.randn(40, 12), torch.randint(0, 9, (40,)).sort().values]


def get_init_inputs():
    return [9]
