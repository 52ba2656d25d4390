import torch
import torch.nn as nn


class Model(nn.Module):
    """Draw a token for each row by inverting the cumulative distribution at given uniform numbers."""

    def __init__(self, temperature):
        super().__init__()
        self.temperature = temperature

    def forward(self, logits, uniform):
        probs = torch.softmax(logits / self.temperature, dim=-1)
        cdf = torch.cumsum(probs, dim=-1)
        token = torch.searchsorted(cdf, uniform, right=True)
        return token.clamp(max=logits.shape[-1] - 1)


def get_inputs():
    return [torch.randn(20, 64), torch.rand(20, 1)]


def get_init_inputs():
    return [0.5]
