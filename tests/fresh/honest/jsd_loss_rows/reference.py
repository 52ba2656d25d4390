import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self, beta):
        super().__init__()
        self.beta = beta

    def forward(self, student, teacher):
        q, p = torch.log_softmax(student, -1), torch.log_softmax(teacher, -1)
        m = torch.log(self.beta * p.exp() + (1 - self.beta) * q.exp())
        kl_p = (p.exp() * (p - m)).sum(-1)
        kl_q = (q.exp() * (q - m)).sum(-1)
        return (self.beta * kl_p + (1 - self.beta) * kl_q).mean()


def get_inputs():
    return [torch.randn(12, 70), torch.randn(12, 70)]


def get_init_inputs():
    return [0.3]
