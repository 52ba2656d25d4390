import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.centres = nn.Parameter(torch.randn(8, 16) * 0.1)

    def forward(self, x):
        xx, ww = x.square().sum(-1), self.centres.square().sum(-1)
        apart = (x[:, None] - self.centres[None]).square().sum(-1)
        z = 1 + 2 * apart / ((1 - xx)[:, None] * (1 - ww))
        return torch.log(z + torch.sqrt(z * z - 1))


def get_inputs():
    return [torch.randn(16, 16) * 0.1]


def get_init_inputs():
    return []
