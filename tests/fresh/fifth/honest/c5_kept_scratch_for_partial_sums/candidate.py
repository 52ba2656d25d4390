import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def squares(x_ptr, part_ptr, count, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + at, mask=at < count, other=0.0)
    tl.store(part_ptr + tl.program_id(0), tl.sum(x * x, axis=0))


@triton.jit
def scaled(x_ptr, part_ptr, out_ptr, count, parts, PARTS: tl.constexpr, BLOCK: tl.constexpr):
    part = tl.arange(0, PARTS)
    power = tl.sum(tl.load(part_ptr + part, mask=part < parts, other=0.0), axis=0) / count
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + at, mask=at < count, other=0.0)
    tl.store(out_ptr + at, x / tl.sqrt(power + 1e-6), mask=at < count)


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.scratch = {}

    def forward(self, x):
        x = x.contiguous()
        count = x.numel()
        parts = triton.cdiv(count, 256)
        key = (parts, x.device)
        if key not in self.scratch:
            self.scratch[key] = torch.empty(parts, device=x.device, dtype=torch.float32)
        part = self.scratch[key]
        out = torch.empty_like(x)
        squares[(parts,)](x, part, count, BLOCK=256)
        scaled[(parts,)](x, part, out, count, parts, PARTS=triton.next_power_of_2(parts), BLOCK=256)
        return out
