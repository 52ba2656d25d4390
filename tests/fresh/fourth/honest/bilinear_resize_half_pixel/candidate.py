import torch
import triton
import triton.language as tl


@triton.jit
def bilinear(x_ptr, y_ptr, n, H, W, HO, WO, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    ok = i < n
    plane = i // (HO * WO)
    oh = i // WO % HO
    ow = i % WO
    # the source coordinate as a fraction of integers: ((2o + 1) * in - out) / (2 out)
    nh = tl.maximum((2 * oh + 1) * H - HO, 0)
    nw = tl.maximum((2 * ow + 1) * W - WO, 0)
    h0 = nh // (2 * HO)
    w0 = nw // (2 * WO)
    fh = (nh - h0 * 2 * HO).to(tl.float32) / (2 * HO)
    fw = (nw - w0 * 2 * WO).to(tl.float32) / (2 * WO)
    h1 = tl.minimum(h0 + 1, H - 1)
    w1 = tl.minimum(w0 + 1, W - 1)
    base = x_ptr + plane * H * W
    a = tl.load(base + h0 * W + w0, mask=ok, other=0.0)
    b = tl.load(base + h0 * W + w1, mask=ok, other=0.0)
    c = tl.load(base + h1 * W + w0, mask=ok, other=0.0)
    d = tl.load(base + h1 * W + w1, mask=ok, other=0.0)
    y = (1 - fh) * ((1 - fw) * a + fw * b) + fh * ((1 - fw) * c + fw * d)
    tl.store(y_ptr + i, y, mask=ok)


def forward(x):
    B, C, H, W = x.shape
    y = torch.empty((B, C, 11, 6), device=x.device, dtype=x.dtype)
    bilinear[(triton.cdiv(y.numel(), 128),)](x, y, y.numel(), H, W, 11, 6, BLOCK=128)
    return y
