import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def softplus_kernel(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    ok = i < n
    x = tl.load(x_ptr + i, mask=ok, other=0.0)
    y = tl.maximum(x, 0.0) + tl.log(1.0 + tl.exp(-tl.abs(x)))
    tl.store(out_ptr + i, tl.where(x > 20.0, x, y), mask=ok)


class ModelNew(nn.Module):
    def forward(self, x):
        x = x.cuda().contiguous()
        out = torch.empty(x.shape, device="cuda", dtype=torch.float32)
        softplus_kernel[(triton.cdiv(x.numel(), 64),)](x, out, x.numel(), BLOCK=64)
        torch.cuda.synchronize()
        return out
