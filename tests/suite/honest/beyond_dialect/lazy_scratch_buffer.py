# reference: total
# dialect: refused
import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def partial_sums(x_ptr, part_ptr, n, BLOCK: tl.constexpr):
    pid = tl.program_id(0)
    i = pid * BLOCK + tl.arange(0, BLOCK)
    tl.store(part_ptr + pid, tl.sum(tl.load(x_ptr + i, mask=i < n, other=0.0), axis=0))


@triton.jit
def final_sum(part_ptr, out_ptr, count, P: tl.constexpr):
    p = tl.arange(0, P)
    tl.store(out_ptr, tl.sum(tl.load(part_ptr + p, mask=p < count, other=0.0), axis=0))


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.scratch = None

    def forward(self, x):
        count = triton.cdiv(x.numel(), 512)
        # memory is kept between calls, results are not: the first kernel overwrites it
        if self.scratch is None or self.scratch.numel() < count or self.scratch.device != x.device:
            self.scratch = torch.empty(count, device=x.device, dtype=torch.float32)
        out = torch.empty((), device=x.device, dtype=x.dtype)
        partial_sums[(count,)](x, self.scratch, x.numel(), BLOCK=512)
        final_sum[(1,)](self.scratch, out, count, P=triton.next_power_of_2(count))
        return out
