import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def mirror(i, n):
    i = tl.abs(i)
    return tl.where(i >= n, 2 * n - 2 - i, i)


@triton.jit
def blur(x_ptr, t_ptr, y_ptr, H, W, ALONG_ROWS: tl.constexpr, BLOCK: tl.constexpr):
    plane = tl.program_id(1)
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = i < H * W
    r = i // W
    c = i % W
    acc = tl.zeros((BLOCK,), dtype=tl.float32)
    for k in tl.static_range(5):
        if ALONG_ROWS:
            at = r * W + mirror(c + k - 2, W)
        else:
            at = mirror(r + k - 2, H) * W + c
        acc += tl.load(t_ptr + k) * tl.load(x_ptr + plane * H * W + at, mask=mask, other=0.0)
    tl.store(y_ptr + plane * H * W + i, acc, mask=mask)


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("taps", torch.tensor([0.0625, 0.25, 0.375, 0.25, 0.0625]))

    def forward(self, x):
        x = x.contiguous()
        n, c, h, w = x.shape
        half = torch.empty_like(x)
        out = torch.empty_like(x)
        grid = (triton.cdiv(h * w, 64), n * c)
        blur[grid](x, self.taps, half, h, w, ALONG_ROWS=True, BLOCK=64)
        blur[grid](half, self.taps, out, h, w, ALONG_ROWS=False, BLOCK=64)
        return out
