"""Softmax over rows whose length is not a power of two."""

import torch


class Model(torch.nn.Module):
    def forward(self, x):
        return torch.softmax(x, dim=-1)


def get_inputs():
    return [torch.randn(64, 257)]


def get_init_inputs():
    return []


def main():
    from kernelwright.driver.compiling.show import compile_and_print

    return compile_and_print(__file__)


if __name__ == "__main__":
    main()
