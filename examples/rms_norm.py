"""Root-mean-square normalisation in bfloat16, computed in float32, as language models do it."""

import torch


class Model(torch.nn.Module):
    def __init__(self, width):
        super().__init__()
        self.weight = torch.nn.Parameter(torch.randn(width))

    def forward(self, x):
        wide = x.float()
        scale = torch.rsqrt(wide.square().mean(-1, keepdim=True) + 1e-6)
        return (wide * scale * self.weight).to(x.dtype)


def get_inputs():
    return [torch.randn(32, 384).to(torch.bfloat16)]


def get_init_inputs():
    return [384]


def main():
    from kernelwright.driver.compiling.show import compile_and_print

    return compile_and_print(__file__)


if __name__ == "__main__":
    main()
