import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def sort_kernel(k_ptr, v_ptr, o_ptr, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    mask = cols < N
    key = tl.load(k_ptr + row * N + cols, mask=mask, other=0)
    packed = (key.to(tl.int64) << 31) + cols
    packed = tl.where(mask, packed, 9223372036854775807)
    packed = tl.sort(packed)
    tl.store(v_ptr + row * N + cols, (packed >> 31).to(tl.int32), mask=mask)
    tl.store(o_ptr + row * N + cols, packed & 0x7FFFFFFF, mask=mask)


class ModelNew(nn.Module):
    def forward(self, keys):
        keys = keys.contiguous()
        rows, n = keys.shape
        values = torch.empty_like(keys)
        order = torch.empty((rows, n), device=keys.device, dtype=torch.int64)
        sort_kernel[(rows,)](keys, values, order, n, BLOCK=triton.next_power_of_2(n))
        return values, order
