import torch
import torch.nn as nn


class Model(nn.Module):
    """A diagonal state space recurrence with an initial state; the last state is returned too."""

    def forward(self, x, rate, first):
        decay = torch.exp(-torch.nn.functional.softplus(rate))
        state = first
        states = []
        for t in range(x.shape[-1]):
            state = decay[..., t] * state + x[..., t]
            states.append(state)
        return torch.stack(states, dim=-1), state


def get_inputs():
    return [torch.randn(3, 6, 75), torch.randn(3, 6, 75), torch.randn(3, 6)]


def get_init_inputs():
    return []
