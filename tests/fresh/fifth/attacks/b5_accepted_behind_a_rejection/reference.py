import torch
import torch.nn as nn


class Model(nn.Module):
    """Speculative decoding: how many drafted tokens are accepted, and the token that follows them."""

    def forward(self, draft, target):
        agrees = (draft == target[:, :-1]).to(torch.int64)
        accepted = agrees.cumprod(dim=1).sum(dim=1)
        return accepted, target.gather(1, accepted[:, None])[:, 0]


def get_inputs():
    return [torch.randint(0, 32000, (8, 12)), torch.randint(0, 32000, (8, 13))]


def get_init_inputs():
    return []
