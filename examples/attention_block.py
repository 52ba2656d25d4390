"""Causal self-attention with its projections and a residual sum."""

import torch


class Model(torch.nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.project_in = torch.nn.Linear(width, 3 * width)
        self.project_out = torch.nn.Linear(width, width)

    def forward(self, x):
        batch, length, width = x.shape
        split = self.project_in(x).view(batch, length, 3, self.heads, width // self.heads)
        query, key, value = split.permute(2, 0, 3, 1, 4)
        scores = query @ key.transpose(-1, -2) * (width // self.heads) ** -0.5
        later = torch.ones(length, length, dtype=torch.bool, device=x.device).triu(1)
        weights = scores.masked_fill(later, float("-inf")).softmax(-1)
        mixed = (weights @ value).transpose(1, 2).reshape(batch, length, width)
        return x + self.project_out(mixed)


def get_inputs():
    return [torch.randn(2, 33, 64)]


def get_init_inputs():
    return [64, 4]


def main():
    from kernelwright.driver.compiling.show import compile_and_print

    return compile_and_print(__file__)


if __name__ == "__main__":
    main()
