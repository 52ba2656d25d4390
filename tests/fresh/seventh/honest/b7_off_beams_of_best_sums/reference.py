import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self, k):
        super().__init__()
        self.k = k

    def forward(self, logits, score):
        total = logits.log_softmax(-1) + score[..., None]
        best = total.flatten(1).topk(self.k, 1)
        return best.values


def get_inputs():
    return [torch.randn(3, 4, 17), torch.randn(3, 4)]


def get_init_inputs():
    return [4]
