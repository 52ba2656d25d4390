import torch
import torch.nn as nn
import torch.nn.functional as F


class Model(nn.Module):
    def forward(self, q, k, v):
        s = q @ k.mT * 0.25
        return s.softmax(-1) @ v, torch.logsumexp(s, -1)


def get_inputs():
    return [torch.randn(3, 20, 16), torch.randn(3, 33, 16), torch.randn(3, 33, 16)]


def get_init_inputs():
    return []
