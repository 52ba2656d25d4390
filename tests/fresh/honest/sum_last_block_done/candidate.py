import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def sum_kernel(x_ptr, partial_ptr, count_ptr, out_ptr, n, BLOCK: tl.constexpr, MAX_PROGRAMS: tl.constexpr):
    pid = tl.program_id(0)
    programs = tl.num_programs(0)
    acc = tl.zeros([BLOCK], tl.float32)
    for start in range(pid * BLOCK, n, programs * BLOCK):
        i = start + tl.arange(0, BLOCK)
        acc += tl.load(x_ptr + i, mask=i < n, other=0.0)
    tl.store(partial_ptr + pid, tl.sum(acc, 0))
    tl.debug_barrier()
    done = tl.atomic_add(count_ptr, 1, sem="acq_rel")
    if done == programs - 1:
        p = tl.arange(0, MAX_PROGRAMS)
        parts = tl.load(partial_ptr + p, mask=p < programs, other=0.0, cache_modifier=".cg")
        tl.store(out_ptr, tl.sum(parts, 0))


class ModelNew(nn.Module):
    def forward(self, x):
        n = x.numel()
        programs = min(16, triton.cdiv(n, 128))
        partial = torch.empty(16, device=x.device, dtype=torch.float32)
        count = torch.zeros((), device=x.device, dtype=torch.int32)
        out = torch.empty((), device=x.device, dtype=x.dtype)
        sum_kernel[(programs,)](x, partial, count, out, n, BLOCK=128, MAX_PROGRAMS=16)
        return out
