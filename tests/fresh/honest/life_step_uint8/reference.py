import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, board):
        alive = (board == 1).to(torch.uint8)
        n = torch.zeros_like(alive)
        for dy in (-1, 0, 1):
            for dx in (-1, 0, 1):
                if dy or dx:
                    n = n + torch.roll(alive, (dy, dx), (0, 1))
        return ((n == 3) | ((alive == 1) & (n == 2))).to(torch.uint8)


def get_inputs():
    return [torch.randint(0, 2, (14, 19), dtype=torch.uint8)]


def get_init_inputs():
    return []
