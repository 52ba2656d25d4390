import torch
import torch.nn as nn


class Model(nn.Module):
    """The hour, minute and second of a time in milliseconds."""

    def forward(self, ms):
        second = torch.div(ms, 1000, rounding_mode="floor")
        clock = second % 86400
        return clock // 3600, clock % 3600 // 60, clock % 60


def get_inputs():
    return [torch.randint(0, 86_400_000, (32, 50))]


def get_init_inputs():
    return []
