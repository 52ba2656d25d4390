import torch
import torch.nn as nn
import triton
import triton.language as tl

TYPES = {torch.float16: tl.float16, torch.bfloat16: tl.bfloat16}


@triton.jit
def scale_cast(x_ptr, y_ptr, n, TYPE: tl.constexpr, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    c = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + row * n + c, mask=c < n, other=0.0)
    top = tl.maximum(tl.max(tl.abs(x), 0), 1e-12)
    tl.store(y_ptr + row * n + c, (x / top).to(TYPE), mask=c < n)


class ModelNew(nn.Module):
    def cast(self, x, dtype):
        y = torch.empty(x.shape, device=x.device, dtype=dtype)
        n = x.shape[-1]
        scale_cast[(x.numel() // n,)](x, y, n, TYPE=TYPES[dtype], BLOCK=triton.next_power_of_2(n))
        return y

    def forward(self, x):
        x = x.contiguous()
        return self.cast(x, torch.float16), self.cast(x, torch.bfloat16)
