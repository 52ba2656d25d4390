import threading

import torch
import torch.nn as nn
import triton
import triton.language as tl

WORKSPACES = threading.local()


@triton.jit
def parts_kernel(a, b, parts, n, pieces, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    piece = tl.program_id(1)
    i = piece * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(a + row * n + i, mask=i < n, other=0.0)
    y = tl.load(b + row * n + i, mask=i < n, other=0.0)
    at = parts + (row * pieces + piece) * 3
    tl.store(at, tl.sum(x * y, axis=0))
    tl.store(at + 1, tl.sum(x * x, axis=0))
    tl.store(at + 2, tl.sum(y * y, axis=0))


@triton.jit
def finish_kernel(parts, temperature, out, pieces, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    p = tl.arange(0, BLOCK)
    at = parts + (row * pieces + p) * 3
    dot = tl.sum(tl.load(at, mask=p < pieces, other=0.0), axis=0)
    xx = tl.sum(tl.load(at + 1, mask=p < pieces, other=0.0), axis=0)
    yy = tl.sum(tl.load(at + 2, mask=p < pieces, other=0.0), axis=0)
    cosine = dot / (tl.sqrt(xx) * tl.sqrt(yy) + 1e-6)
    tl.store(out + row, cosine / tl.load(temperature))


def workspace(size, device):
    """A buffer of this thread; calls on one stream come one after the other."""
    held = WORKSPACES.__dict__.setdefault("held", {})
    stream = torch.cuda.current_stream(device).cuda_stream if device.type == "cuda" else 0
    key = size, device, stream
    if key not in held:
        held[key] = torch.empty(size, device=device, dtype=torch.float32)
    return held[key]


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.temperature = nn.Parameter(torch.tensor(0.5))

    def forward(self, a, b):
        rows, n = a.shape
        pieces = triton.cdiv(n, 128)
        parts = workspace(rows * pieces * 3, a.device)
        out = torch.empty((rows,), device=a.device, dtype=a.dtype)
        parts_kernel[(rows, pieces)](a, b, parts, n, pieces, BLOCK=128)
        finish_kernel[(rows,)](parts, self.temperature, out, pieces, BLOCK=triton.next_power_of_2(pieces))
        return out
