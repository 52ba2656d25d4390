import torch
import torch.nn as nn


class Model(nn.Module):
    """Two generations of the game of life on a torus; cells are 0 or 1."""

    def forward(self, board):
        for _ in range(2):
            around = sum(
                torch.roll(board, (i, j), (-2, -1)) for i in (-1, 0, 1) for j in (-1, 0, 1) if i or j
            )
            board = ((around == 3) | ((board == 1) & (around == 2))).to(torch.int32)
        return board


def get_inputs():
    return [torch.randint(0, 2, (2, 11, 13), dtype=torch.int32)]


def get_init_inputs():
    return []
