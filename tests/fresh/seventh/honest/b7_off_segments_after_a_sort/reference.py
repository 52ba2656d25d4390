import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self, segments):
        super().__init__()
        self.segments = segments

    def forward(self, x, segment):
        total = torch.zeros(self.segments, x.shape[1]).index_add(0, segment, x)
        count = torch.bincount(segment, minlength=self.segments)
        return total / count.clamp(min=1)[:, None]


def get_inputs():
    return [torch.randn(33, 10), torch.randint(0, 7, (33,))]


def get_init_inputs():
    return [7]
