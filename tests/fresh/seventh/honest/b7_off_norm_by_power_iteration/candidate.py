import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def power_step(w, u, sigma, C: tl.constexpr, D: tl.constexpr, TRAIN: tl.constexpr):
    i = tl.arange(0, D)
    j = tl.arange(0, C)
    m = tl.load(w + i[:, None] * C + j[None, :])
    u0 = tl.load(u + i)
    v = tl.sum(m * u0[:, None], 0)
    size = tl.sqrt(tl.sum(v * v, 0))
    v = v / tl.where(size < 1e-12, 1e-12, size)
    wv = tl.sum(m * v[None, :], 1)
    if TRAIN:
        size = tl.sqrt(tl.sum(wv * wv, 0))
        u0 = wv / tl.where(size < 1e-12, 1e-12, size)
        tl.store(u + i, u0)
    tl.store(sigma, tl.sum(u0 * wv, 0) + 0.05)


@triton.jit
def scaled(x, w, sigma, y, C: tl.constexpr, D: tl.constexpr):
    r = tl.program_id(0)
    i = tl.arange(0, D)
    j = tl.arange(0, C)
    m = tl.load(w + i[:, None] * C + j[None, :])
    tl.store(y + r * D + i, tl.sum(m * tl.load(x + r * C + j)[None, :], 1) / tl.load(sigma))


class ModelNew(nn.Module):
    def __init__(self, c, d):
        super().__init__()
        self.w = nn.Parameter(torch.randn(d, c))
        self.register_buffer("u", torch.ones(d) / d**0.5)

    @torch.no_grad()
    def forward(self, x):
        d, c = self.w.shape
        sigma = x.new_empty(())
        power_step[(1,)](self.w, self.u, sigma, C=c, D=d, TRAIN=bool(self.training))
        y = x.new_empty(x.shape[0], d)
        scaled[(x.shape[0],)](x, self.w, sigma, y, C=c, D=d)
        return y
