import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def pull(place, mass, force, n, BI: tl.constexpr, BJ: tl.constexpr):
    i = tl.program_id(0) * BI + tl.arange(0, BI)
    x = tl.load(place + i * 3, mask=i < n, other=0.0)
    y = tl.load(place + i * 3 + 1, mask=i < n, other=0.0)
    z = tl.load(place + i * 3 + 2, mask=i < n, other=0.0)
    fx = tl.zeros((BI,), tl.float32)
    fy = tl.zeros((BI,), tl.float32)
    fz = tl.zeros((BI,), tl.float32)
    for s in range(0, n, BJ):
        j = s + tl.arange(0, BJ)
        ok = (j < n)[None, :]
        dx = tl.load(place + j * 3, mask=j < n, other=0.0)[None, :] - x[:, None]
        dy = tl.load(place + j * 3 + 1, mask=j < n, other=0.0)[None, :] - y[:, None]
        dz = tl.load(place + j * 3 + 2, mask=j < n, other=0.0)[None, :] - z[:, None]
        r2 = dx * dx + dy * dy + dz * dz + 0.05
        w = tl.load(mass + j, mask=j < n, other=0.0)[None, :] / (r2 * tl.sqrt(r2))
        fx += tl.sum(tl.where(ok, dx * w, 0.0), 1)
        fy += tl.sum(tl.where(ok, dy * w, 0.0), 1)
        fz += tl.sum(tl.where(ok, dz * w, 0.0), 1)
    tl.store(force + i * 3, fx, mask=i < n)
    tl.store(force + i * 3 + 1, fy, mask=i < n)
    tl.store(force + i * 3 + 2, fz, mask=i < n)


class ModelNew(nn.Module):
    def forward(self, place, mass):
        n = place.shape[0]
        force = torch.empty_like(place)
        pull[(triton.cdiv(n, 16),)](place, mass, force, n, BI=16, BJ=16)
        return force
