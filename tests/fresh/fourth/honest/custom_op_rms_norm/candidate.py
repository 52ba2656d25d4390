import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def rms_kernel(x_ptr, w_ptr, y_ptr, n, eps, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    c = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + row * n + c, mask=c < n, other=0.0).to(tl.float32)
    r = tl.rsqrt(tl.sum(x * x, 0) / n + eps)
    w = tl.load(w_ptr + c, mask=c < n, other=0.0)
    tl.store(y_ptr + row * n + c, (x * r * w).to(tl.float16), mask=c < n)


@torch.library.custom_op("honest4_ops::rms_norm", mutates_args=())
def rms_norm(x: torch.Tensor, weight: torch.Tensor, eps: float) -> torch.Tensor:
    y = torch.empty_like(x)
    n = x.shape[-1]
    rms_kernel[(x.numel() // n,)](x, weight, y, n, eps, BLOCK=triton.next_power_of_2(n))
    return y


@rms_norm.register_fake
def _(x, weight, eps):
    return torch.empty_like(x)


class ModelNew(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(width))

    def forward(self, x):
        return rms_norm(x.contiguous(), self.weight, 1e-5)
