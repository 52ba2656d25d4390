# reference: softmax
# class: races: stores into the next row
import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def softmax_kernel(x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + row * n + cols, mask=cols < n, other=-float("inf"))
    e = tl.exp(x - tl.max(x, axis=0))
    # no mask: zeros go to the next rows, right only where those come later
    tl.store(y_ptr + row * n + cols, e / tl.sum(e, axis=0))


class ModelNew(nn.Module):
    def forward(self, x):
        x = x.contiguous()
        n = x.shape[-1]
        block = triton.next_power_of_2(n + 1)
        y = torch.empty(x.numel() + block, device=x.device, dtype=x.dtype)
        softmax_kernel[(x.numel() // n,)](x, y, n, BLOCK=block)
        return y[: x.numel()].view(x.shape)
