import torch
import torch.nn as nn


class Model(nn.Module):
    """Intersection over union of each proposal with each truth."""

    def forward(self, boxes, truths):
        corner = torch.maximum(boxes[:, None, :2], truths[None, :, :2])
        other = torch.minimum(boxes[:, None, 2:], truths[None, :, 2:])
        side = (other - corner).clamp(min=0)
        inter = side[..., 0] * side[..., 1]
        area = (boxes[:, 2] - boxes[:, 0]) * (boxes[:, 3] - boxes[:, 1])
        wanted = (truths[:, 2] - truths[:, 0]) * (truths[:, 3] - truths[:, 1])
        return inter / (area[:, None] + wanted[None, :] - inter + 1e-7)


def some_boxes(count):
    centre = 0.35 + 0.3 * torch.rand(count, 2)
    half = 0.1 + 0.3 * torch.rand(count, 2)
    return torch.cat([centre - half, centre + half], dim=1)


def get_inputs():
    return [some_boxes(50), some_boxes(9)]


def get_init_inputs():
    return []
