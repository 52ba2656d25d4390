import torch
import torch.nn as nn


class Model(nn.Module):
    """Seconds since each row's first event, in fp32."""

    def forward(self, times):
        return (times - times[:, :1]).float()


def get_inputs():
    return [torch.rand(32, 60, dtype=torch.float64) * 100.0]


def get_init_inputs():
    return []
