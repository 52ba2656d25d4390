# reference: rms_norm
import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def _rms_norm_fwd(Y, X, W, row_stride, n_cols, eps, BLOCK_SIZE: tl.constexpr):
    row_idx = tl.program_id(0).to(tl.int64)
    col_offsets = tl.arange(0, BLOCK_SIZE)
    mask = col_offsets < n_cols
    X_row = tl.load(X + row_idx * row_stride + col_offsets, mask=mask, other=0)
    W_row = tl.load(W + col_offsets, mask=mask, other=0)
    mean_square = tl.sum(X_row * X_row, axis=0) / n_cols
    rstd = tl.rsqrt(mean_square + eps)
    tl.store(Y + row_idx * row_stride + col_offsets, X_row * rstd * W_row, mask=mask)


class ModelNew(nn.Module):
    def __init__(self, width, eps):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(width))
        self.variance_epsilon = eps

    def forward(self, x):
        n_rows, n_cols = x.shape
        y = torch.empty_like(x)
        _rms_norm_fwd[(n_rows,)](
            y, x, self.weight, x.stride(0), n_cols, self.variance_epsilon, BLOCK_SIZE=triton.next_power_of_2(n_cols)
        )
        return y
