import torch
from torch import nn


class Model(nn.Module):
    """How often each class comes among all labels."""

    def __init__(self, classes):
        super().__init__()
        self.classes = classes

    def forward(self, labels):
        return torch.bincount(labels.flatten(), minlength=self.classes)


def get_inputs():
    return [torch.randint(0, 16, (6, 512))]


def get_init_inputs():
    return [16]
