# reference: gelu
# dialect: refused
import torch
import torch.nn as nn
import triton
import triton.language as tl


class GeluKernels:
    """Kernels and their launchers, kept together."""

    BLOCK = 256

    @staticmethod
    @triton.jit
    def forward_kernel(x_ptr, y_ptr, n, BLOCK: tl.constexpr):
        i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
        x = tl.load(x_ptr + i, mask=i < n, other=0.0)
        tl.store(y_ptr + i, 0.5 * x * (1.0 + tl.erf(x * 0.7071067811865476)), mask=i < n)

    @classmethod
    def run(cls, x):
        y = torch.empty_like(x)
        n = x.numel()
        cls.forward_kernel[(triton.cdiv(n, cls.BLOCK),)](x, y, n, BLOCK=cls.BLOCK)
        return y


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, x):
        return GeluKernels.run(x.contiguous())
