import torch
from torch import nn


class Model(nn.Module):
    def __init__(self, tokens, kinds, width):
        super().__init__()
        self.tokens = nn.Embedding(tokens, width)
        self.kinds = nn.Embedding(kinds, width)

    def forward(self, tokens, kinds):
        return self.tokens(tokens) + self.kinds(kinds)


def get_inputs():
    return [torch.randint(0, 12, (4, 9)), torch.randint(0, 3, (4, 9))]


def get_init_inputs():
    return [12, 3, 16]
