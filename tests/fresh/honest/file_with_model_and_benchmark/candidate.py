import torch
import torch.nn as nn
import triton
import triton.language as tl


class Model(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, x):
        return torch.clamp(x, -1.0, 1.0)


def get_inputs():
    return [torch.randn(300)]


def get_init_inputs():
    return []


@triton.jit
def clamp_kernel(x_ptr, y_ptr, n, LOW: tl.constexpr, HIGH: tl.constexpr, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + i, mask=i < n, other=0.0)
    tl.store(y_ptr + i, tl.clamp(x, LOW, HIGH), mask=i < n)


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, x):
        y = torch.empty_like(x)
        clamp_kernel[(triton.cdiv(x.numel(), 128),)](x, y, x.numel(), LOW=-1.0, HIGH=1.0, BLOCK=128)
        return y


def benchmark():
    x = get_inputs()[0].cuda()
    ours = triton.testing.do_bench(lambda: ModelNew()(x))
    theirs = triton.testing.do_bench(lambda: Model()(x))
    print(f"{ours:.4f} ms against {theirs:.4f} ms")


if __name__ == "__main__":
    benchmark()
