import torch
import torch.nn as nn
import torch.nn.functional as F


class Model(nn.Module):
    """Warp feature maps by a field of places in [-1, 1]."""

    def forward(self, image, places):
        return F.grid_sample(image, places, mode="bilinear", padding_mode="zeros", align_corners=True)


def get_inputs():
    return [torch.randn(2, 3, 9, 11), torch.rand(2, 6, 7, 2) * 2 - 1]


def get_init_inputs():
    return []
