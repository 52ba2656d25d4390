import threading

import torch
import torch.nn as nn
import triton
import triton.language as tl


LOCAL = threading.local()


@triton.jit
def column_sizes(x, sums, rows, C, R: tl.constexpr, B: tl.constexpr):
    r = tl.program_id(0) * R + tl.arange(0, R)
    c = tl.arange(0, B)
    v = tl.load(x + r[:, None] * C + c[None, :], mask=(r[:, None] < rows) & (c[None, :] < C), other=0.0)
    tl.store(sums + tl.program_id(0) * B + c, tl.sum(tl.abs(v), 0))


@triton.jit
def divide(x, sums, y, C, P: tl.constexpr, B: tl.constexpr):
    r = tl.program_id(0)
    c = tl.arange(0, B)
    s = tl.zeros((B,), tl.float32)
    for p in tl.static_range(P):
        s += tl.load(sums + p * B + c)
    s = tl.where(s < 1e-6, 1e-6, s)
    tl.store(y + r * C + c, tl.load(x + r * C + c, mask=c < C, other=0.0) / s, mask=c < C)


def workspace(parts, block, device):
    kept = LOCAL.__dict__.setdefault("kept", {})
    key = (parts, block, device, torch.cuda.current_stream().cuda_stream if device.type == "cuda" else 0)
    if key not in kept:
        kept[key] = torch.empty((parts, block), device=device, dtype=torch.float32)
    return kept[key]


class ModelNew(nn.Module):
    def forward(self, x):
        rows, C = x.shape
        block = triton.next_power_of_2(C)
        parts = triton.cdiv(rows, 16)
        sums = workspace(parts, block, x.device)
        column_sizes[(parts,)](x, sums, rows, C, R=16, B=block)
        y = torch.empty_like(x)
        divide[(rows,)](x, sums, y, C, P=parts, B=block)
        return y
