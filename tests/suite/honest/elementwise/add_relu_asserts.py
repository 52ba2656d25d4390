# reference: add_relu
import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def add_relu_kernel(x_ptr, y_ptr, out_ptr, n_elements, BLOCK_SIZE: tl.constexpr):
    offs = tl.program_id(0) * BLOCK_SIZE + tl.arange(0, BLOCK_SIZE)
    m = offs < n_elements
    a = tl.load(x_ptr + offs, mask=m, other=0.0)
    b = tl.load(y_ptr + offs, mask=m, other=0.0)
    s = a + b
    tl.store(out_ptr + offs, tl.where(s > 0, s, 0.0), mask=m)


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, x, y):
        assert x.is_cuda and y.is_cuda, f"both inputs must be on the GPU, found {x.device} and {y.device}"
        assert x.shape == y.shape, f"shape mismatch: {tuple(x.shape)} and {tuple(y.shape)}"
        assert x.dtype == y.dtype == torch.float32, f"expected float32, got {x.dtype!r}"
        x, y = x.contiguous(), y.contiguous()
        out = torch.empty_like(x)
        n = out.numel()
        if n == 0:
            return out
        grid = lambda META: (triton.cdiv(n, META["BLOCK_SIZE"]),)
        add_relu_kernel[grid](x, y, out, n, BLOCK_SIZE=512, num_warps=4)
        return out
