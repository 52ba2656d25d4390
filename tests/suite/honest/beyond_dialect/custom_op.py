# reference: add_relu
# dialect: refused
import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def add_relu_kernel(x_ptr, y_ptr, out_ptr, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    total = tl.load(x_ptr + i, mask=i < n) + tl.load(y_ptr + i, mask=i < n)
    tl.store(out_ptr + i, total * (total > 0), mask=i < n)


@torch.library.custom_op("suite::add_relu", mutates_args=())
def add_relu(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    out = torch.empty_like(x)
    n = x.numel()
    with torch.cuda.device_of(x):
        add_relu_kernel[(triton.cdiv(n, 128),)](x, y, out, n, BLOCK=128)
    return out


@add_relu.register_fake
def _(x, y):
    return torch.empty_like(x)


class ModelNew(nn.Module):
    def forward(self, x, y):
        return add_relu(x, y)
