import torch
import torch.nn as nn
import torch.nn.functional as F


class Model(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.width = width

    def forward(self, lengths):
        c = torch.arange(self.width, device=lengths.device)[None]
        mask = c >= lengths[:, None]
        return mask, torch.where(mask, torch.zeros_like(c), c + 1)


def get_inputs():
    return [torch.randint(0, 20, (6,))]


def get_init_inputs():
    return [18]
