import torch
import torch.nn as nn


class Model(nn.Module):
    """Count tokens, and look up their embeddings' first moments."""

    def __init__(self, words):
        super().__init__()
        self.norms = nn.Parameter(torch.rand(words))

    def forward(self, tokens):
        return self.norms[tokens].sum(-1), torch.bincount(tokens.flatten(), minlength=300)


def get_inputs():
    return [torch.randint(0, 100, (6, 40))]


def get_init_inputs():
    return [300]
