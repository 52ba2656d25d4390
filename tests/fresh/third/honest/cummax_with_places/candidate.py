import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def later_max(v1, i1, v2, i2):
    take = v2 >= v1
    return tl.where(take, v2, v1), tl.where(take, i2, i1)


@triton.jit
def cummax_rows(x_ptr, v_ptr, i_ptr, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    c = tl.arange(0, BLOCK)
    mask = c < N
    x = tl.load(x_ptr + row * N + c, mask=mask, other=-float("inf"))
    v, i = tl.associative_scan((x, c), 0, later_max)
    tl.store(v_ptr + row * N + c, v, mask=mask)
    tl.store(i_ptr + row * N + c, i.to(tl.int64), mask=mask)


class ModelNew(nn.Module):
    def forward(self, x):
        x = x.contiguous()
        n = x.shape[-1]
        values = torch.empty_like(x)
        places = torch.empty(x.shape, dtype=torch.int64, device=x.device)
        cummax_rows[(x.numel() // n,)](x, values, places, n, BLOCK=triton.next_power_of_2(n))
        return values, places
