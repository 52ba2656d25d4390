import torch
import torch.nn as nn
import torch.nn.functional as F


class Model(nn.Module):
    """Label the four-connected components of an image by the least index of a pixel."""

    def forward(self, image):
        height, width = image.shape
        big = height * width
        labels = torch.arange(big).reshape(height, width).masked_fill(~image, big)
        for _ in range(big):
            padded = F.pad(labels, (1, 1, 1, 1), value=big)
            near = torch.stack([labels, padded[:-2, 1:-1], padded[2:, 1:-1], padded[1:-1, :-2], padded[1:-1, 2:]])
            labels = near.amin(0).masked_fill(~image, big)
        return labels


def get_inputs():
    return [torch.rand(14, 15) < 0.4]


def get_init_inputs():
    return []
