"""Cross entropy over a vocabulary, with label smoothing and ignored positions."""

import torch
import torch.nn.functional as F

IGNORED = -100


class Model(torch.nn.Module):
    def forward(self, logits, targets):
        return F.cross_entropy(logits, targets, ignore_index=IGNORED, label_smoothing=0.1)


def get_inputs():
    return [torch.randn(48, 1000), torch.where(torch.rand(48) < 0.2, IGNORED, torch.randint(0, 1000, (48,)))]


def get_init_inputs():
    return []


def main():
    from kernelwright.driver.compiling.show import compile_and_print

    return compile_and_print(__file__)


if __name__ == "__main__":
    main()
