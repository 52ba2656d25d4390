import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def add_norm(X, R, W, B, Y, S, C, eps, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    c = tl.arange(0, BLOCK)
    ok = c < C
    s = tl.load(X + row * C + c, mask=ok, other=0.0) + tl.load(R + row * C + c, mask=ok, other=0.0)
    tl.store(S + row * C + c, s, mask=ok)
    mu = tl.sum(s, axis=0) / C
    d = tl.where(ok, s - mu, 0.0)
    inv = 1.0 / tl.sqrt(tl.sum(d * d, axis=0) / C + eps)
    w = tl.load(W + c, mask=ok, other=0.0)
    b = tl.load(B + c, mask=ok, other=0.0)
    tl.store(Y + row * C + c, d * inv * w + b, mask=ok)


class ModelNew(nn.Module):
    def __init__(self, c):
        super().__init__()
        self.ln = nn.LayerNorm(c, eps=1e-6)

    def forward(self, x, r):
        C = x.shape[-1]
        y = torch.empty_like(x)
        s = torch.empty_like(x)
        add_norm[(x.numel() // C,)](x, r, self.ln.weight, self.ln.bias, y, s, C, 1e-6, BLOCK=triton.next_power_of_2(C))
        return y, s
