import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self, features, classes):
        super().__init__()
        self.head = nn.Linear(features, classes)

    def forward(self, x):
        logits = self.head(x).clamp(-6.0, 6.0)
        return logits.argmax(-1), logits.amax(-1)


def get_inputs():
    return [torch.randn(30, 20)]


def get_init_inputs():
    return [20, 37]
