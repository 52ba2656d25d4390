import torch
import torch.nn as nn
import torch.nn.functional as F


class Model(nn.Module):
    def __init__(self, width, experts):
        super().__init__()
        self.gate = nn.Linear(width, experts, bias=False)

    def forward(self, x):
        p = torch.softmax(self.gate(x), -1)
        w, e = torch.topk(p, 2, dim=-1)
        return w / w.sum(-1, keepdim=True), e


def get_inputs():
    return [torch.randn(15, 20)]


def get_init_inputs():
    return [20, 6]
