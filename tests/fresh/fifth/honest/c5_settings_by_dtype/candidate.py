from dataclasses import dataclass

import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def gated(value_ptr, gate_ptr, out_ptr, count, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    value = tl.load(value_ptr + at, mask=at < count, other=0.0).to(tl.float32)
    gate = tl.load(gate_ptr + at, mask=at < count, other=0.0).to(tl.float32)
    small = tl.exp(-tl.abs(gate))
    share = tl.where(gate >= 0.0, 1.0, small) / (1.0 + small)
    tl.store(out_ptr + at, (value * share).to(out_ptr.dtype.element_ty), mask=at < count)


@dataclass(frozen=True)
class Settings:
    block: int
    warps: int


BY_DTYPE = {torch.float16: Settings(512, 4), torch.bfloat16: Settings(512, 4), torch.float32: Settings(256, 2)}


class ModelNew(nn.Module):
    def forward(self, value, gate):
        value, gate = value.contiguous(), gate.contiguous()
        chosen = BY_DTYPE.get(value.dtype, Settings(128, 1))
        out = torch.empty_like(value)
        count = value.numel()
        gated[(triton.cdiv(count, chosen.block),)](value, gate, out, count, BLOCK=chosen.block, num_warps=chosen.warps)
        return out
