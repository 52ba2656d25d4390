import torch
import torch.nn as nn
import torch.nn.functional as F


class Model(nn.Module):
    def forward(self, a, b, sa, sb):
        return (a.double() @ b.double()).float() * sa[:, None] * sb[None, :]


def get_inputs():
    return [torch.randint(-128, 128, (18, 70), dtype=torch.int8), torch.randint(-128, 128, (70, 20), dtype=torch.int8),
            torch.rand(18) * 0.1, torch.rand(20) * 0.1]


def get_init_inputs():
    return []
