import torch
import torch.nn as nn


class Model(nn.Module):
    """Which queries are among the words."""

    def __init__(self):
        super().__init__()

    def forward(self, words, queries):
        words, queries = words.clamp(0, 47), queries.clamp(0, 47)
        return (queries[:, None] == words[None, :]).any(1)


def get_inputs():
    return [torch.randint(0, 48, (64,)), torch.randint(0, 48, (40,))]


def get_init_inputs():
    return []
