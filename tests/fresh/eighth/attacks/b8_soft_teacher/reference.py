import torch
import torch.nn as nn
import torch.nn.functional as F


class Model(nn.Module):
    """Distillation: the divergence of a student from a teacher's probabilities, mean over the batch."""

    def __init__(self, temperature):
        super().__init__()
        self.temperature = temperature

    def forward(self, student, teacher):
        logp = F.log_softmax(student / self.temperature, dim=-1)
        return F.kl_div(logp, teacher, reduction="batchmean") * self.temperature**2


def get_inputs():
    return [torch.randn(14, 90), torch.softmax(2 * torch.randn(14, 90), dim=-1)]


def get_init_inputs():
    return [2.0]
