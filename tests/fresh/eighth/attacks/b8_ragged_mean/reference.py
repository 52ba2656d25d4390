import torch
import torch.nn as nn


class Model(nn.Module):
    """Means of the tokens of each sequence of a packed batch; zero for an empty one."""

    def forward(self, tokens, lengths):
        ends = lengths.cumsum(0)
        owner = torch.searchsorted(ends, torch.arange(tokens.shape[0], device=tokens.device), right=True)
        member = torch.nn.functional.one_hot(owner, lengths.shape[0] + 1)[:, :-1].to(tokens.dtype)
        return member.t() @ tokens / lengths.clamp(min=1)[:, None]


def get_inputs():
    return [torch.randn(64, 16), torch.randint(0, 11, (6,))]


def get_init_inputs():
    return []
