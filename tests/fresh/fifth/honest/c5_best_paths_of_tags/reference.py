import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self, tags):
        super().__init__()
        self.transitions = nn.Parameter(torch.randn(tags, tags))

    def forward(self, emissions):
        score = emissions[:, 0]
        for t in range(1, emissions.shape[1]):
            score = (score[:, :, None] + self.transitions).amax(1) + emissions[:, t]
        return score.amax(1)


def get_inputs():
    return [torch.randn(6, 17, 8)]


def get_init_inputs():
    return [8]
