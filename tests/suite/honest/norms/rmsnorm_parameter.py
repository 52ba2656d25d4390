# reference: rmsnorm
import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def rms_norm_kernel(x_ptr, w_ptr, y_ptr, n_cols, eps, BLOCK_SIZE: tl.constexpr):
    row = tl.program_id(0)
    offs = tl.arange(0, BLOCK_SIZE)
    mask = offs < n_cols
    x = tl.load(x_ptr + row * n_cols + offs, mask=mask, other=0.0)
    w = tl.load(w_ptr + offs, mask=mask, other=0.0)
    ms = tl.sum(x * x, axis=0) / n_cols
    tl.store(y_ptr + row * n_cols + offs, x * tl.rsqrt(ms + eps) * w, mask=mask)


class ModelNew(nn.Module):
    def __init__(self, width: int, eps: float = 1e-5):
        super().__init__()
        self.eps = eps
        self.weight = nn.Parameter(torch.ones(width))

    def forward(self, x):
        shape = x.shape
        flat = x.reshape(-1, shape[-1]).contiguous()
        y = torch.empty_like(flat)
        rms_norm_kernel[(flat.shape[0],)](flat, self.weight, y, shape[-1], self.eps, BLOCK_SIZE=128)
        return y.reshape(shape)
