import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def norm_gradient(dy, x, gain, dx, dgain, dbias, C, B: tl.constexpr):
    r = tl.program_id(0)
    c = tl.arange(0, B)
    m = c < C
    g = tl.load(dy + r * C + c, mask=m, other=0.0)
    v = tl.load(x + r * C + c, mask=m, other=0.0)
    d = tl.where(m, v - tl.sum(v, 0) / C, 0.0)
    inv = tl.rsqrt(tl.sum(d * d, 0) / C + 1e-5)
    h = d * inv
    w = g * tl.load(gain + c, mask=m, other=0.0)
    out = inv * (w - tl.sum(w, 0) / C - h * (tl.sum(w * h, 0) / C))
    tl.store(dx + r * C + c, out, mask=m)
    tl.atomic_add(dgain + c, g * h, mask=m)
    tl.atomic_add(dbias + c, g, mask=m)


class ModelNew(nn.Module):
    def forward(self, dy, x, gain):
        rows, C = x.shape
        dx = torch.empty_like(x)
        dgain = torch.zeros((C,), device=x.device, dtype=x.dtype)
        dbias = torch.zeros((C,), device=x.device, dtype=x.dtype)
        norm_gradient[(rows,)](dy, x, gain, dx, dgain, dbias, C, B=triton.next_power_of_2(C))
        return dx, dgain, dbias
