# large: ROWS=4096, GROUPS=128
import torch
import torch.nn as nn

ROWS = 10
GROUPS = 3


class Model(nn.Module):
    """Weights of four bits as floats, with a scale for each group of 32."""

    def forward(self, packed, scale):
        low = (packed & 15).float() - 8.0
        high = (packed >> 4).float() - 8.0
        weight = torch.stack([low, high], dim=-1).reshape(packed.shape[0], -1, 32)
        return (weight * scale[:, :, None]).flatten(1)


def get_inputs():
    packed = torch.randint(0, 256, (ROWS, GROUPS * 16), dtype=torch.uint8)
    return [packed, torch.rand(ROWS, GROUPS) + 0.1]


def get_init_inputs():
    return []
