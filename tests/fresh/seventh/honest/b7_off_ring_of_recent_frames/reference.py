import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self, slots, c):
        super().__init__()
        self.register_buffer("ring", torch.zeros(slots, c))
        self.register_buffer("place", torch.zeros((), dtype=torch.long))

    def forward(self, frame):
        self.ring[self.place % self.ring.shape[0]] = frame
        self.place += 1
        return self.ring.mean(0)


def get_inputs():
    return [torch.randn(21)]


def get_init_inputs():
    return [5, 21]
