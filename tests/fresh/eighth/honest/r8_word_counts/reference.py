import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self, bins):
        super().__init__()
        self.bins = bins

    def forward(self, words):
        return torch.bincount(words.flatten().clamp(0, self.bins - 1), minlength=self.bins)


def get_inputs():
    return [torch.randint(0, 25, (6, 70))]


def get_init_inputs():
    return [25]
