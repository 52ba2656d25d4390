import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("allowed", torch.arange(32) * 5 % 8 < 5)

    def forward(self, logits, label):
        logp = torch.log_softmax(logits, -1)
        picked = logp.gather(1, label[:, None])[:, 0]
        spread = torch.where(self.allowed, logp, 0.0).sum(-1) / self.allowed.sum()
        return -0.9 * picked - 0.1 * spread


def get_inputs():
    return [torch.randn(16, 32), torch.randint(0, 32, (16,))]


def get_init_inputs():
    return []
