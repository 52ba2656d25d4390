# reference: half_silu
import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def silu_fp16_kernel(inp, outp, numel, BLOCK: tl.constexpr):
    idx = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = idx < numel
    x = tl.load(inp + idx, mask=mask, other=0.0).to(tl.float32)
    y = x / (1.0 + tl.exp(-x))
    tl.store(outp + idx, y.to(outp.dtype.element_ty), mask=mask)


def silu(x):
    out = torch.empty(x.shape, dtype=x.dtype, device=x.device)
    numel = x.numel()
    silu_fp16_kernel[(triton.cdiv(numel, 1024),)](x, out, numel, 1024)
    return out


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, x):
        return silu(x.contiguous())
