import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self, words, c):
        super().__init__()
        self.table = nn.Embedding(words, c)
        self.out = nn.Linear(c, c)

    def forward(self, ids):
        return torch.tanh(self.out(self.table(ids)))


def get_inputs():
    return [torch.randint(0, 15, (40,))]


def get_init_inputs():
    return [15, 20]
