import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def normalise(x_ptr, y_ptr, total_ptr, arrived_ptr, n, PROGRAMS: tl.constexpr, BLOCK: tl.constexpr):
    pid = tl.program_id(0)
    acc = tl.zeros([BLOCK], tl.float32)
    for start in range(pid * BLOCK, n, PROGRAMS * BLOCK):
        i = start + tl.arange(0, BLOCK)
        acc += tl.abs(tl.load(x_ptr + i, mask=i < n, other=0.0))
    tl.atomic_add(total_ptr, tl.sum(acc, 0))
    tl.debug_barrier()
    tl.atomic_add(arrived_ptr, 1, sem="acq_rel")
    while tl.atomic_add(arrived_ptr, 0, sem="acquire") < PROGRAMS:
        pass
    total = tl.atomic_add(total_ptr, 0.0)
    for start in range(pid * BLOCK, n, PROGRAMS * BLOCK):
        i = start + tl.arange(0, BLOCK)
        x = tl.load(x_ptr + i, mask=i < n, other=0.0)
        tl.store(y_ptr + i, x / (1.0 + total), mask=i < n)


class ModelNew(nn.Module):
    def forward(self, x):
        y = torch.empty_like(x)
        total = torch.zeros(1, device=x.device, dtype=torch.float32)
        arrived = torch.zeros(1, device=x.device, dtype=torch.int32)
        normalise[(4,)](x, y, total, arrived, x.numel(), PROGRAMS=4, BLOCK=64)
        return y
