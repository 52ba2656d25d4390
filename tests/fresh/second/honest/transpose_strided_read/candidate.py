import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def transpose_kernel(x_ptr, o_ptr, M, N, sm, sn, B: tl.constexpr):
    rm = tl.program_id(0) * B + tl.arange(0, B)
    rn = tl.program_id(1) * B + tl.arange(0, B)
    mask = (rm[:, None] < M) & (rn[None, :] < N)
    x = tl.load(x_ptr + rm[:, None] * sm + rn[None, :] * sn, mask=mask, other=0.0)
    tl.store(o_ptr + rn[None, :] * M + rm[:, None], x * 2.0 + 1.0, mask=mask)


class ModelNew(nn.Module):
    def forward(self, x):
        M, N = x.shape
        out = torch.empty((N, M), device=x.device, dtype=x.dtype)
        grid = (triton.cdiv(M, 16), triton.cdiv(N, 16))
        transpose_kernel[grid](x, out, M, N, x.stride(0), x.stride(1), B=16)
        return out
