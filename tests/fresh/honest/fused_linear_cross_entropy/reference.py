import torch
import torch.nn as nn
import torch.nn.functional as F


class Model(nn.Module):
    def __init__(self, hidden, vocab):
        super().__init__()
        self.head = nn.Linear(hidden, vocab, bias=False)

    def forward(self, h, target):
        return F.cross_entropy(self.head(h), target, reduction="none")


def get_inputs():
    return [torch.randn(21, 40), torch.randint(0, 110, (21,))]


def get_init_inputs():
    return [40, 110]
