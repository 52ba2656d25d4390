"""A convolution, group norm and SiLU, as in the blocks of an image diffusion model."""

import torch
import torch.nn.functional as F


class Model(torch.nn.Module):
    def __init__(self, channels, groups):
        super().__init__()
        self.norm = torch.nn.GroupNorm(groups, channels)
        self.conv = torch.nn.Conv2d(channels, channels, kernel_size=3, padding=1)

    def forward(self, x):
        return x + self.conv(F.silu(self.norm(x)))


def get_inputs():
    return [torch.randn(2, 16, 15, 17)]


def get_init_inputs():
    return [16, 4]


def main():
    from kernelwright.driver.compiling.show import compile_and_print

    return compile_and_print(__file__)


if __name__ == "__main__":
    main()
