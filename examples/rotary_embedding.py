"""Rotary position embedding of queries and keys: two outputs, tables made on the fly."""

import torch


class Model(torch.nn.Module):
    def __init__(self, head_size, base):
        super().__init__()
        steps = torch.arange(0, head_size, 2) / head_size
        self.register_buffer("frequencies", 1.0 / base**steps)

    def forward(self, query, key):
        positions = torch.arange(query.shape[-2], device=query.device)
        angles = torch.outer(positions, self.frequencies)
        cos, sin = angles.cos(), angles.sin()
        return rotate(query, cos, sin), rotate(key, cos, sin)


def rotate(x, cos, sin):
    """Turn each pair of elements by its angle."""
    left, right = x.chunk(2, dim=-1)
    return torch.cat([left * cos - right * sin, right * cos + left * sin], dim=-1)


def get_inputs():
    return [torch.randn(2, 4, 24, 32), torch.randn(2, 2, 24, 32)]


def get_init_inputs():
    return [32, 10000.0]


def main():
    from kernelwright.driver.compiling.show import compile_and_print

    return compile_and_print(__file__)


if __name__ == "__main__":
    main()
