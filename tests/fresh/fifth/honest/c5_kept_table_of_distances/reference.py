import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self, buckets, heads):
        super().__init__()
        self.bias = nn.Embedding(buckets, heads)

    def forward(self, scores):
        n = scores.shape[-1]
        place = torch.arange(n, device=scores.device)
        away = (place[None, :] - place[:, None]).clamp(-8, 7) + 8
        return torch.softmax(scores + self.bias(away).permute(2, 0, 1), dim=-1)


def get_inputs():
    return [torch.randn(2, 4, 11, 11)]


def get_init_inputs():
    return [16, 4]
