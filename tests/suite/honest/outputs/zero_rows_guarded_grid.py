# reference: relu_empty
import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def relu_rows(x_ptr, y_ptr, n_cols, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    c = tl.arange(0, BLOCK)
    v = tl.load(x_ptr + row * n_cols + c, mask=c < n_cols)
    tl.store(y_ptr + row * n_cols + c, tl.where(v < 0.0, 0.0, v), mask=c < n_cols)


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, x, y):
        results = []
        for t in (x, y):
            out = torch.empty(t.shape, device=t.device, dtype=t.dtype)
            rows, cols = t.shape
            if rows > 0 and cols > 0:
                relu_rows[(rows,)](t, out, cols, BLOCK=triton.next_power_of_2(cols))
            results.append(out)
        return tuple(results)
