import torch
import torch.nn as nn


class Model(nn.Module):
    """Gates of the two best experts of each token, and the margin between them."""

    def __init__(self, dim, experts):
        super().__init__()
        self.route = nn.Linear(dim, experts, bias=False)

    def forward(self, x, noise):
        logits = self.route(x) + noise
        best = torch.topk(logits, 2, dim=-1).values
        return torch.softmax(best, dim=-1), best[:, 0] - best[:, 1]


def get_inputs():
    return [torch.randn(26, 32), torch.randn(26, 12) * 0.1]


def get_init_inputs():
    return [32, 12]
