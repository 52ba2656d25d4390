import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def asymmetric(x_ptr, y_ptr, o_ptr, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    ok = i < n
    x = tl.load(x_ptr + i, mask=ok, other=0.0)
    y = tl.load(y_ptr + i, mask=ok, other=0.0)
    tl.store(o_ptr + i, tl.where(x > y, x - y, (y - x) * 0.5), mask=ok)


class ModelNew(nn.Module):
    @staticmethod
    def launch(x, y, out):
        n = out.numel()
        asymmetric[(triton.cdiv(n, 64),)](x, y, out, n, BLOCK=64)

    def forward(self, x, y):
        out = torch.empty_like(x)
        self.launch(x, y, out)
        return out
