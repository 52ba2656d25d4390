import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def half_sum(x_ptr, part_ptr, count_ptr, out_ptr, n, BLOCK: tl.constexpr, PARTS: tl.constexpr):
    pid = tl.program_id(0)
    acc = tl.zeros([BLOCK], tl.float32)
    for start in range(pid * BLOCK, n, PARTS * BLOCK):
        i = start + tl.arange(0, BLOCK)
        acc += tl.load(x_ptr + i, mask=i < n, other=0.0)
    tl.store(part_ptr + pid, tl.sum(acc, 0))
    tl.debug_barrier()
    done = tl.atomic_add(count_ptr, 1, sem="acq_rel")
    if done == PARTS - 1:
        parts = tl.load(part_ptr + tl.arange(0, PARTS), cache_modifier=".cg")
        tl.store(out_ptr, tl.sum(parts, 0) * 0.5)
        tl.store(count_ptr, 0)


class ModelNew(nn.Module):
    PARTS = 8

    def __init__(self):
        super().__init__()
        self.workspace = None

    def forward(self, x):
        if self.workspace is None or self.workspace[0].device != x.device:
            self.workspace = (
                torch.empty(self.PARTS, device=x.device, dtype=torch.float32),
                torch.zeros(1, device=x.device, dtype=torch.int32),
            )
        part, count = self.workspace
        out = torch.empty((), device=x.device, dtype=x.dtype)
        half_sum[(self.PARTS,)](x, part, count, out, x.numel(), BLOCK=64, PARTS=self.PARTS)
        return out
