import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, emit, trans):
        score = emit[:, 0]
        backs = []
        for t in range(1, emit.shape[1]):
            best, back = (score[:, :, None] + trans[None]).max(1)
            score = best + emit[:, t]
            backs.append(back)
        value, last = score.max(1)
        return value, last


def get_inputs():
    return [torch.randn(4, 9, 8), torch.randn(8, 8)]


def get_init_inputs():
    return []
