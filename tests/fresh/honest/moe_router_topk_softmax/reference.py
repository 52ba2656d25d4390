import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, logits):
        p = torch.softmax(logits, -1)
        gate, ids = torch.topk(p, 2, dim=-1)
        gate = gate / gate.sum(-1, keepdim=True)
        return gate, ids.to(torch.int32)


def get_inputs():
    return [torch.randn(19, 8)]


def get_init_inputs():
    return []
