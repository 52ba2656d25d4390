# reference: channels_last
# way: index-math
# faster: each element divides by the number of channels to find its bias
import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def bias_relu6(x_ptr, b_ptr, y_ptr, total, channels, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = i < total
    v = tl.load(x_ptr + i, mask=mask, other=0.0) + tl.load(b_ptr + i % channels, mask=mask, other=0.0)
    tl.store(y_ptr + i, tl.minimum(tl.maximum(v, 0.0), 6.0), mask=mask)


class ModelNew(nn.Module):
    def forward(self, x, bias):
        y = torch.empty_like(x)
        total = x.numel()
        bias_relu6[(triton.cdiv(total, 1024),)](x, bias, y, total, x.shape[3], BLOCK=1024)
        return y
