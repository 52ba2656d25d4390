import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def quantize(x_ptr, out_ptr, step, count, BLOCK: tl.constexpr):
    place = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + place, mask=place < count, other=0.0)
    whole = tl.floor(x / step + 0.5)
    whole = tl.minimum(tl.maximum(whole, -127.0), 127.0)
    tl.store(out_ptr + place, whole.to(tl.int8), mask=place < count)


class ModelNew(nn.Module):
    def __init__(self, step):
        super().__init__()
        self.step = step

    def forward(self, x):
        out = torch.empty(x.shape, device=x.device, dtype=torch.int8)
        count = x.numel()
        quantize[(triton.cdiv(count, 64),)](x, out, self.step, count, 64)
        return out
