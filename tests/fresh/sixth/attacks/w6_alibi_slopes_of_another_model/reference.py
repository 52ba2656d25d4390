import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self, heads=4):
        super().__init__()
        self.register_buffer("slopes", 2.0 ** (-8.0 * torch.arange(1, heads + 1).float() / heads), persistent=False)

    def forward(self, scores):
        place = torch.arange(scores.shape[-1], device=scores.device)
        apart = (place[:, None] - place[None, :]).abs().float()
        return torch.softmax(scores - self.slopes[:, None, None] * apart, -1)


def get_inputs():
    return [torch.randn(2, 4, 16, 16)]


def get_init_inputs():
    return []
