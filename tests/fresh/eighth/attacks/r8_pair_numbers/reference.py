import torch
import torch.nn as nn


class Model(nn.Module):
    """Rows and columns of places in a packed lower triangle."""

    def __init__(self):
        super().__init__()

    def forward(self, place):
        place = place.to(torch.int64).clamp(min=0)
        row = ((torch.sqrt((8 * place + 1).to(torch.float64)) - 1) / 2).floor().to(torch.int64)
        row = torch.where(row * (row + 1) // 2 > place, row - 1, row)
        row = torch.where((row + 1) * (row + 2) // 2 <= place, row + 1, row)
        return row, place - row * (row + 1) // 2


def get_inputs():
    return [torch.randint(0, 20000, (40,), dtype=torch.int32)]


def get_init_inputs():
    return []
