import torch
import torch.nn as nn
import triton
import triton.language as tl


class Softsign:
    @staticmethod
    @triton.jit
    def kernel(x_ptr, s_ptr, o_ptr, n, BLOCK: tl.constexpr):
        i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
        y = tl.load(x_ptr + i, mask=i < n, other=0.0) * tl.load(s_ptr)
        tl.store(o_ptr + i, y / (1 + tl.abs(y)), mask=i < n)

    @classmethod
    def launch(cls, x, s):
        out = torch.empty_like(x)
        cls.kernel[(triton.cdiv(x.numel(), 64),)](x, s, out, x.numel(), BLOCK=64)
        return out


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.sharp = nn.Parameter(torch.tensor([1.3]))

    def forward(self, x):
        return Softsign.launch(x, self.sharp)
