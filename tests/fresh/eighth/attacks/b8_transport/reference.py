import torch
import torch.nn as nn


class Model(nn.Module):
    """Sinkhorn's transport plans between uniform weights, in logarithms."""

    def __init__(self, rounds, sharp):
        super().__init__()
        self.rounds = rounds
        self.sharp = sharp

    def forward(self, cost):
        plan = -cost * self.sharp
        for _ in range(self.rounds):
            plan = plan - torch.logsumexp(plan, dim=2, keepdim=True)
            plan = plan - torch.logsumexp(plan, dim=1, keepdim=True)
        return torch.exp(plan)


def get_inputs():
    return [torch.rand(4, 14, 14)]


def get_init_inputs():
    return [60, 1.5]
