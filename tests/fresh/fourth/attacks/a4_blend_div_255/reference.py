import torch
import torch.nn as nn


class Model(nn.Module):
    """Weighted pixel sums, brought back to the range of a pixel, not cut off."""

    def forward(self, total):
        return torch.div(total.clamp(min=0) + 127, 255, rounding_mode="floor")


def get_inputs():
    return [torch.randint(0, 256, (32, 32)) * torch.randint(0, 256, (32, 32))]


def get_init_inputs():
    return []
