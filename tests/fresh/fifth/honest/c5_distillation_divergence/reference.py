import torch
import torch.nn as nn
import torch.nn.functional as F


class Model(nn.Module):
    def __init__(self, temperature):
        super().__init__()
        self.temperature = temperature

    def forward(self, student, teacher):
        s = F.log_softmax(student / self.temperature, dim=-1)
        t = F.log_softmax(teacher / self.temperature, dim=-1)
        return (t.exp() * (t - s)).sum(-1) * self.temperature**2


def get_inputs():
    return [torch.randn(16, 75), torch.randn(16, 75)]


def get_init_inputs():
    return [2.0]
