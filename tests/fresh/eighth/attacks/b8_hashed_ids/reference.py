import torch
import torch.nn as nn


class Model(nn.Module):
    """Embeddings in bfloat16 of identifiers by two remainders, added, as in compositional embeddings."""

    def __init__(self, first, second, dim):
        super().__init__()
        self.first = nn.Parameter(torch.randn(first, dim, dtype=torch.bfloat16))
        self.second = nn.Parameter(torch.randn(second, dim, dtype=torch.bfloat16))

    def forward(self, ids):
        one = self.first[ids % self.first.shape[0]]
        two = self.second[ids % self.second.shape[0]]
        return torch.maximum(one, two)


def get_inputs():
    return [torch.exp2(torch.randn(40, dtype=torch.float64) * 4 + 12).long()]


def get_init_inputs():
    return [37, 41, 12]
