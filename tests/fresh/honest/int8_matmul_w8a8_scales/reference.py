import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, a, b, sa, sb):
        acc = (a.double() @ b.double()).to(torch.int32)
        return acc.float() * sa[:, None] * sb[None, :]


def get_inputs():
    a = torch.randint(-128, 128, (33, 64), dtype=torch.int8)
    b = torch.randint(-128, 128, (64, 47), dtype=torch.int8)
    return [a, b, torch.rand(33) * 0.01, torch.rand(47) * 0.01]


def get_init_inputs():
    return []
