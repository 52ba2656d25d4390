import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def bilinear(x_ptr, y_ptr, H, W, total, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    ok = i < total
    OW = 2 * W
    OH = 2 * H
    ow = i % OW
    oh = (i // OW) % OH
    plane = i // (OW * OH)
    fh = tl.maximum((oh.to(tl.float32) + 0.5) * 0.5 - 0.5, 0.0)
    fw = tl.maximum((ow.to(tl.float32) + 0.5) * 0.5 - 0.5, 0.0)
    h0 = fh.to(tl.int32)
    w0 = fw.to(tl.int32)
    h1 = tl.minimum(h0 + 1, H - 1)
    w1 = tl.minimum(w0 + 1, W - 1)
    lh = fh - h0
    lw = fw - w0
    base = x_ptr + plane * H * W
    a = tl.load(base + h0 * W + w0, mask=ok, other=0.0)
    b = tl.load(base + h0 * W + w1, mask=ok, other=0.0)
    c = tl.load(base + h1 * W + w0, mask=ok, other=0.0)
    d = tl.load(base + h1 * W + w1, mask=ok, other=0.0)
    y = (1 - lh) * ((1 - lw) * a + lw * b) + lh * ((1 - lw) * c + lw * d)
    tl.store(y_ptr + i, y, mask=ok)


class ModelNew(nn.Module):
    def forward(self, x):
        x = x.contiguous()
        N, C, H, W = x.shape
        y = torch.empty((N, C, H * 2, W * 2), device=x.device, dtype=x.dtype)
        bilinear[(triton.cdiv(y.numel(), 128),)](x, y, H, W, y.numel(), BLOCK=128)
        return y
