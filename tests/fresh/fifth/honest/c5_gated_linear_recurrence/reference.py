import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, gate, x):
        a = torch.sigmoid(gate)
        h = torch.zeros_like(x[:, 0])
        steps = []
        for t in range(x.shape[1]):
            h = a[:, t] * h + (1 - a[:, t]) * x[:, t]
            steps.append(h)
        return torch.stack(steps, dim=1)


def get_inputs():
    return [torch.randn(3, 40, 12), torch.randn(3, 40, 12)]


def get_init_inputs():
    return []
