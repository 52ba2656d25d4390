import torch
import torch.nn as nn
import torch.nn.functional as F


class Model(nn.Module):
    def __init__(self, vocab, length, width):
        super().__init__()
        self.tok = nn.Embedding(vocab, width)
        self.pos = nn.Embedding(length, width)
        self.scale = width ** 0.5

    def forward(self, ids):
        return self.tok(ids) * self.scale + self.pos.weight[: ids.shape[1]]


def get_inputs():
    return [torch.randint(0, 50, (3, 9))]


def get_init_inputs():
    return [50, 12, 28]
