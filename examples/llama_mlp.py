"""The gated feed-forward block of Llama: down(silu(gate(x)) * up(x))."""

import torch
import torch.nn.functional as F


class Model(torch.nn.Module):
    def __init__(self, width, hidden):
        super().__init__()
        self.gate = torch.nn.Linear(width, hidden, bias=False)
        self.up = torch.nn.Linear(width, hidden, bias=False)
        self.down = torch.nn.Linear(hidden, width, bias=False)

    def forward(self, x):
        return self.down(F.silu(self.gate(x)) * self.up(x))


def get_inputs():
    return [torch.randn(2, 24, 64)]


def get_init_inputs():
    return [64, 172]


def main():
    from kernelwright.driver.compiling.show import compile_and_print

    return compile_and_print(__file__)


if __name__ == "__main__":
    main()
