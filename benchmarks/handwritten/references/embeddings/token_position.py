# large: BATCH=16, LENGTH=1024, VOCABULARY=50000, WIDTH=1024
import torch
import torch.nn as nn
import torch.nn.functional as F

BATCH = 2
LENGTH = 9
VOCABULARY = 30
WIDTH = 64


class Model(nn.Module):
    """Embeddings of tokens, scaled, with those of their positions added."""

    def forward(self, tokens, table, positions):
        return F.embedding(tokens, table) * 8.0 + positions


def get_inputs():
    return [
        torch.randint(0, VOCABULARY, (BATCH, LENGTH)),
        torch.randn(VOCABULARY, WIDTH),
        torch.randn(LENGTH, WIDTH),
    ]


def get_init_inputs():
    return []
