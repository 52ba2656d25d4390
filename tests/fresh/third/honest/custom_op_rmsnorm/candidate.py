import torch
import torch.nn as nn
import triton
import triton.language as tl
from torch import Tensor


@triton.jit
def _rms_kernel(x_ptr, w_ptr, y_ptr, stride, n_cols, eps, BLOCK_SIZE: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    offs = tl.arange(0, BLOCK_SIZE)
    mask = offs < n_cols
    x = tl.load(x_ptr + row * stride + offs, mask=mask, other=0.0).to(tl.float32)
    ms = tl.sum(x * x, axis=0) / n_cols
    w = tl.load(w_ptr + offs, mask=mask, other=0.0).to(tl.float32)
    tl.store(y_ptr + row * stride + offs, x * tl.rsqrt(ms + eps) * w, mask=mask)


@torch.library.custom_op("honest_rms::rms_norm", mutates_args=())
def rms_norm(x: Tensor, weight: Tensor, eps: float) -> Tensor:
    """Normalise the last dimension of a contiguous tensor by its root mean square."""
    y = torch.empty_like(x)
    n = x.shape[-1]
    _rms_kernel[(x.numel() // n,)](x, weight, y, n, n, eps, BLOCK_SIZE=triton.next_power_of_2(n))
    return y


@rms_norm.register_fake
def _(x: Tensor, weight: Tensor, eps: float) -> Tensor:
    return torch.empty_like(x)


class ModelNew(nn.Module):
    def __init__(self, dim: int) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.ones(dim))

    def forward(self, x: Tensor) -> Tensor:
        return torch.ops.honest_rms.rms_norm(x.contiguous(), self.weight, 1e-5)
