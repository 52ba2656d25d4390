import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def rms_kernel(x_ptr, r_ptr, w_ptr, o_ptr, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    mask = cols < N
    y = tl.load(x_ptr + row * N + cols, mask=mask, other=0.0) + tl.load(r_ptr + row * N + cols, mask=mask, other=0.0)
    scale = 1.0 / tl.sqrt(tl.sum(y * y, axis=0) / N + 1e-6)
    w = tl.load(w_ptr + cols, mask=mask, other=0.0)
    tl.store(o_ptr + row * N + cols, y * scale * w, mask=mask)


class ModelNew(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.weight = nn.Parameter(torch.rand(width) + 0.5)

    def forward(self, x, residual):
        x = x.contiguous()
        residual = residual.contiguous()
        out = torch.empty_like(x)
        N = x.shape[-1]
        rms_kernel[(x.numel() // N,)](x, residual, self.weight, out, N, BLOCK=triton.next_power_of_2(N))
        return out
