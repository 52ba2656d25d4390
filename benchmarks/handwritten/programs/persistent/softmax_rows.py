# reference: softmax
import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def softmax_persistent(y_ptr, x_ptr, y_stride, x_stride, n_rows, n_cols, BLOCK: tl.constexpr, STAGES: tl.constexpr):
    first = tl.program_id(0)
    step = tl.num_programs(0)
    for row in tl.range(first, n_rows, step, num_stages=STAGES):
        cols = tl.arange(0, BLOCK)
        mask = cols < n_cols
        x = tl.load(x_ptr + row * x_stride + cols, mask=mask, other=-float("inf"))
        e = tl.exp(x - tl.max(x, axis=0))
        tl.store(y_ptr + row * y_stride + cols, e / tl.sum(e, axis=0), mask=mask)


class ModelNew(nn.Module):
    def forward(self, x):
        n_rows, n_cols = x.shape
        y = torch.empty_like(x)
        programs = min(n_rows, 4)
        softmax_persistent[(programs,)](
            y, x, y.stride(0), x.stride(0), n_rows, n_cols, BLOCK=triton.next_power_of_2(n_cols), STAGES=2
        )
        return y
