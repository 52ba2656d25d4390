import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def by_atomics(x_ptr, y_ptr, R, C, BR: tl.constexpr, BC: tl.constexpr):
    r = tl.program_id(0) * BR + tl.arange(0, BR)
    c = tl.arange(0, BC)
    x = tl.load(x_ptr + r[:, None] * C + c[None, :], mask=(r[:, None] < R) & (c[None, :] < C), other=0.0)
    tl.atomic_add(y_ptr + c, tl.sum(x, 0), mask=c < C)


@triton.jit
def in_order(x_ptr, y_ptr, R, C, BC: tl.constexpr):
    c = tl.program_id(0) * BC + tl.arange(0, BC)
    acc = tl.zeros([BC], tl.float32)
    for r in range(R):
        acc += tl.load(x_ptr + r * C + c, mask=c < C, other=0.0)
    tl.store(y_ptr + c, acc, mask=c < C)


class ModelNew(nn.Module):
    def forward(self, x):
        x = x.contiguous()
        R, C = x.shape
        if torch.are_deterministic_algorithms_enabled():
            y = torch.empty(C, device=x.device, dtype=x.dtype)
            in_order[(triton.cdiv(C, 16),)](x, y, R, C, BC=16)
        else:
            y = torch.zeros(C, device=x.device, dtype=x.dtype)
            by_atomics[(triton.cdiv(R, 8),)](x, y, R, C, BR=8, BC=triton.next_power_of_2(C))
        return y
