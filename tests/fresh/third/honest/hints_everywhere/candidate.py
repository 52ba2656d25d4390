import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def squares_cubes(x_ptr, s_ptr, c_ptr, ROWS, N, PROGRAMS: tl.constexpr, BLOCK: tl.constexpr):
    tl.assume(N > 0)
    for row in tl.range(tl.program_id(0), ROWS, PROGRAMS, num_stages=2):
        acc = tl.zeros((BLOCK,), dtype=tl.float32)
        for start in tl.range(0, N, BLOCK):
            start = tl.multiple_of(start, BLOCK)
            c = start + tl.max_contiguous(tl.arange(0, BLOCK), BLOCK)
            mask = c < N
            x = tl.load(x_ptr + row * N + c, mask=mask, other=0.0, eviction_policy="evict_first")
            acc += x * x
            tl.store(c_ptr + row * N + c, x * x * x, mask=mask, cache_modifier=".cs")
        tl.store(s_ptr + row, tl.sum(acc, axis=0))


class ModelNew(nn.Module):
    def forward(self, x):
        x = x.contiguous()
        rows, n = x.shape
        sums = torch.empty(rows, device=x.device, dtype=x.dtype)
        cubes = torch.empty_like(x)
        squares_cubes[(4,)](x, sums, cubes, rows, n, PROGRAMS=4, BLOCK=32)
        return sums, cubes
