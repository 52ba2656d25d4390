import torch
import torch.nn as nn


class Model(nn.Module):
    """The two experts of each token and their renormalised weights."""

    def __init__(self, width, experts):
        super().__init__()
        self.gate = nn.Linear(width, experts, bias=False)

    def forward(self, x):
        p = self.gate(x).softmax(-1)
        w, e = p.topk(2, dim=-1)
        return w / w.sum(-1, keepdim=True), e


def get_inputs():
    return [torch.randn(21, 24)]


def get_init_inputs():
    return [24, 7]
