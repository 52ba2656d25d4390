import contextlib

import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def l2norm_kernel(x_ptr, y_ptr, rows, cols, eps, BLOCK: tl.constexpr):
    c = tl.arange(0, BLOCK)
    for row in range(tl.program_id(0), rows, tl.num_programs(0)):
        x = tl.load(x_ptr + row * cols + c, mask=c < cols, other=0.0)
        norm = tl.sqrt(tl.sum(x * x, 0))
        tl.store(y_ptr + row * cols + c, x / tl.maximum(norm, eps), mask=c < cols)


def guard(x):
    return torch.cuda.device(x.device) if x.is_cuda else contextlib.nullcontext()


def num_programs(x):
    if x.is_cuda:
        return torch.cuda.get_device_properties(x.device).multi_processor_count
    return 8


class ModelNew(nn.Module):
    def forward(self, x):
        x = x.contiguous()
        rows, cols = x.shape
        y = torch.empty_like(x)
        with guard(x):
            l2norm_kernel[(min(rows, num_programs(x)),)](x, y, rows, cols, 1e-12, BLOCK=triton.next_power_of_2(cols))
        return y
