import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def lerp_kernel(
    x_ptr,  # *first* input
    y_ptr,  # *second* input
    out_ptr,
    n_elements,
    weight,
    BLOCK_SIZE: tl.constexpr,
):
    """out = x + weight * (y - x)"""
    pid = tl.program_id(axis=0)
    offsets = pid * BLOCK_SIZE + tl.arange(0, BLOCK_SIZE)
    mask = offsets < n_elements
    x = tl.load(x_ptr + offsets, mask=mask)
    y = tl.load(y_ptr + offsets, mask=mask)
    tl.store(out_ptr + offsets, x + weight * (y - x), mask=mask)


def lerp(x: torch.Tensor, y: torch.Tensor, weight: float) -> torch.Tensor:
    """Linear interpolation of two tensors of one shape."""
    if x.shape != y.shape:
        raise ValueError("shapes differ")
    assert x.dtype == y.dtype and x.device == y.device
    x, y = x.contiguous(), y.contiguous()
    out = torch.empty_like(x)
    n_elements = out.numel()
    if n_elements == 0:
        return out
    with torch.cuda.device_of(x):
        grid = lambda meta: (triton.cdiv(n_elements, meta["BLOCK_SIZE"]),)
        lerp_kernel[grid](x, y, out, n_elements, weight, BLOCK_SIZE=1024)
    return out


class ModelNew(nn.Module):
    def forward(self, x, y):
        return lerp(x, y, 0.3)
