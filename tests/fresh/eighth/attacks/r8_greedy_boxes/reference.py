import torch
import torch.nn as nn


class Model(nn.Module):
    """Greedy suppression of boxes (centre, size) by their overlap; which are kept, in the given order."""

    def __init__(self, threshold):
        super().__init__()
        self.threshold = threshold

    def forward(self, boxes, scores):
        centre, half = boxes[:, :2], boxes[:, 2:].abs() * 0.5
        low, high = centre - half, centre + half
        area = (high - low).prod(-1)
        cut = (torch.minimum(high[:, None], high[None]) - torch.maximum(low[:, None], low[None])).clamp(min=0)
        inner = cut.prod(-1)
        near = inner > self.threshold * (area[:, None] + area[None] - inner)
        order = torch.argsort(scores, descending=True, stable=True)
        keep = torch.ones_like(scores, dtype=torch.bool)
        for i in range(len(scores)):
            one = order[i]
            later = torch.zeros_like(keep)
            later[order[i + 1 :]] = True
            keep = keep & ~(near[one] & later & keep[one])
        return keep


def get_inputs():
    return [torch.cat([torch.rand(24, 2) * 60, torch.rand(24, 2) * 30 + 8], 1), torch.rand(24)]


def get_init_inputs():
    return [0.45]
