import torch
import torch.nn as nn

batch = 5
length = 17
vocabulary = 50


class Model(nn.Module):
    """Rows of a table."""

    def __init__(self, vocabulary: int, width: int):
        super().__init__()
        self.table = nn.Embedding(vocabulary, width)

    def forward(self, ids):
        return self.table(ids)


def get_inputs():
    return [torch.randint(0, vocabulary, (batch, length))]


def get_init_inputs():
    return [vocabulary, 24]
