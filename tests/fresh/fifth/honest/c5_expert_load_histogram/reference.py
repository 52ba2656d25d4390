import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self, experts):
        super().__init__()
        self.experts = experts

    def forward(self, chosen):
        counts = torch.zeros(self.experts, dtype=torch.int32, device=chosen.device)
        counts.index_add_(0, chosen.flatten(), torch.ones_like(chosen.flatten(), dtype=torch.int32))
        return counts, counts.float() / chosen.numel()


def get_inputs():
    return [torch.randint(0, 8, (150, 2))]


def get_init_inputs():
    return [8]
