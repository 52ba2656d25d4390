import torch
import triton
import triton.language as tl


@triton.jit
def quantize(x_ptr, scale_ptr, out_ptr, n, WIDTH: tl.constexpr, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + at, at < n, 0.0)
    ratio = x / tl.load(scale_ptr + at % WIDTH)
    size = tl.floor(tl.abs(ratio) + 0.5)
    whole = tl.where(ratio < 0, -size, size)
    whole = tl.minimum(tl.maximum(whole, -128.0), 127.0)
    tl.store(out_ptr + at, whole.to(tl.int8), at < n)


class ModelNew(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.scale = torch.nn.Parameter(torch.full((24,), 0.05))

    def forward(self, x):
        out = torch.empty(x.shape, dtype=torch.int8, device=x.device)
        quantize[(triton.cdiv(x.numel(), 128),)](x, self.scale, out, x.numel(), 24, BLOCK=128)
        return out
