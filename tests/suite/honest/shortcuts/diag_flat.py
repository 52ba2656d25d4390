# reference: diag_matmul
import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def diag_matmul_kernel(d, b, out, numel, width, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    ok = i < numel
    tl.store(out + i, tl.load(d + i // width, ok, other=0.0) * tl.load(b + i, ok, other=0.0), ok)


def diag_matmul(d, b):
    d, b = d.contiguous(), b.contiguous()
    result = torch.empty_like(b)
    numel, width = b.numel(), b.size(-1)
    diag_matmul_kernel[lambda meta: (triton.cdiv(numel, meta["BLOCK"]),)](d, b, result, numel, width, BLOCK=256)
    return result


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, d, b):
        return diag_matmul(d, b)
