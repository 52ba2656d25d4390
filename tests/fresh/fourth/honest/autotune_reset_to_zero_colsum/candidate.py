import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.autotune(
    configs=[triton.Config({"ROWS": 16}, num_warps=2), triton.Config({"ROWS": 32}, num_warps=4)],
    key=["N", "C"],
    reset_to_zero=["o_ptr"],
)
@triton.jit
def column_sums(x_ptr, o_ptr, N, C, COLS: tl.constexpr, ROWS: tl.constexpr):
    r = tl.program_id(0) * ROWS + tl.arange(0, ROWS)
    c = tl.program_id(1) * COLS + tl.arange(0, COLS)
    x = tl.load(x_ptr + r[:, None] * C + c[None, :], mask=(r[:, None] < N) & (c[None, :] < C), other=0.0)
    tl.atomic_add(o_ptr + c, tl.sum(x, 0), mask=c < C)


def column_sum(x):
    N, C = x.shape
    out = torch.zeros((C,), device=x.device, dtype=x.dtype)
    grid = lambda meta: (triton.cdiv(N, meta["ROWS"]), triton.cdiv(C, 16))
    column_sums[grid](x, out, N, C, COLS=16)
    return out


class ModelNew(nn.Module):
    def forward(self, x):
        return column_sum(x)
