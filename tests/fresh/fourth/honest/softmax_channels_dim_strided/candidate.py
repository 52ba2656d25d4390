import torch
import triton
import triton.language as tl


@triton.jit
def channel_softmax(x_ptr, o_ptr, C, H, W, sb, sc, sh, sw, OUT: tl.constexpr, BC: tl.constexpr, BW: tl.constexpr):
    b = tl.program_id(0)
    h = tl.program_id(1)
    c = tl.arange(0, BC)
    w = tl.program_id(2) * BW + tl.arange(0, BW)
    ok = (c < C)[:, None] & (w < W)[None, :]
    x = tl.load(x_ptr + b * sb + h * sh + c[:, None] * sc + w[None, :] * sw, mask=ok, other=float("-inf"))
    top = tl.where(w < W, tl.max(x, 0), 0.0)
    e = tl.exp(x - top[None, :])
    total = tl.where(w < W, tl.sum(e, 0), 1.0)
    tl.store(o_ptr + ((b * C + c[:, None]) * H + h) * W + w[None, :], (e / total[None, :]).to(OUT), mask=ok)


def forward(x):
    B, C, H, W = x.shape
    out = torch.empty((B, C, H, W), device=x.device, dtype=torch.float16)
    grid = (B, H, triton.cdiv(W, 4))
    channel_softmax[grid](x, out, C, H, W, x.stride(0), x.stride(1), x.stride(2), x.stride(3), OUT=tl.float16,
                          BC=triton.next_power_of_2(C), BW=4)
    return out
