import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def shuffle(x_ptr, b_ptr, y_ptr, n, C, H, W, R: tl.constexpr, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    ok = i < n
    ow = i % (W * R)
    oh = i // (W * R) % (H * R)
    c = i // (W * R * H * R) % C
    b = i // (W * R * H * R * C)
    src_c = c * R * R + (oh % R) * R + ow % R
    src = ((b * C * R * R + src_c) * H + oh // R) * W + ow // R
    y = tl.load(x_ptr + src, mask=ok, other=0.0) + tl.load(b_ptr + c, mask=ok, other=0.0)
    tl.store(y_ptr + i, y, mask=ok)


class ModelNew(nn.Module):
    def __init__(self, channels):
        super().__init__()
        self.bias = nn.Parameter(torch.randn(channels))

    def forward(self, x):
        B, CRR, H, W = x.shape
        C = CRR // 4
        y = torch.empty((B, C, H * 2, W * 2), device=x.device, dtype=x.dtype)
        shuffle[(triton.cdiv(y.numel(), 128),)](x, self.bias, y, y.numel(), C, H, W, R=2, BLOCK=128)
        return y
