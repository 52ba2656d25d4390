import torch
import torch.nn as nn
import triton
import triton.language as tl


LOW = -2.0
WIDTH = 0.25


@triton.jit
def count(x, out, n, START: tl.constexpr, STEP: tl.constexpr, BINS: tl.constexpr, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    v = tl.load(x + i, mask=i < n, other=float("inf"))
    slot = (v - START) / STEP
    ok = (slot >= 0.0) & (slot < BINS)
    slot = tl.where(ok, slot, 0.0).to(tl.int32)
    tl.atomic_add(out + slot, 1.0 / n, mask=ok)


class ModelNew(nn.Module):
    def forward(self, loudness):
        out = torch.zeros((16,), device=loudness.device, dtype=torch.float32)
        n = loudness.numel()
        count[(triton.cdiv(n, 256),)](loudness, out, n, START=LOW, STEP=WIDTH, BINS=16, B=256)
        return out
