"""An exponential moving average written as two scans, and the running maximum."""

import torch


class Model(torch.nn.Module):
    def __init__(self, decay):
        super().__init__()
        self.decay = decay

    def forward(self, x):
        powers = self.decay ** -torch.arange(x.shape[-1], device=x.device, dtype=x.dtype)
        average = torch.cumsum(x * powers, dim=-1) / torch.cumsum(powers, dim=-1)
        return average, torch.cummax(x, dim=-1).values


def get_inputs():
    return [torch.randn(16, 100)]


def get_init_inputs():
    return [0.95]


def main():
    from kernelwright.driver.compiling.show import compile_and_print

    return compile_and_print(__file__)


if __name__ == "__main__":
    main()
