import torch
import torch.nn as nn
import torch.nn.functional as F


class Model(nn.Module):
    def __init__(self, words, places, width):
        super().__init__()
        self.tokens = nn.Parameter(torch.randn(words, width).bfloat16())
        self.places = nn.Parameter(torch.randn(places, width).bfloat16())

    def forward(self, ids):
        tokens = F.embedding(ids, self.tokens).float() * self.tokens.shape[1] ** 0.5
        return (tokens + self.places[: ids.shape[1]].float()).bfloat16()


def get_inputs():
    return [torch.randint(0, 90, (4, 17))]


def get_init_inputs():
    return [90, 32, 36]
