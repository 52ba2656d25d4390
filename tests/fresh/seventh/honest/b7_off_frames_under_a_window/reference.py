import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self, size, hop):
        super().__init__()
        self.size, self.hop = size, hop

    def forward(self, wave):
        window = torch.hann_window(self.size)
        return wave.unfold(-1, self.size, self.hop) * window


def get_inputs():
    return [torch.randn(3, 90)]


def get_init_inputs():
    return [20, 7]
