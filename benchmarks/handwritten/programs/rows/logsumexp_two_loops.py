# reference: logsumexp
# way: extra-pass
# faster: maximum and sum each read the row
import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def logsumexp_kernel(x_ptr, out_ptr, cols, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    x_ptr += row * cols
    best = tl.full((BLOCK,), float("-inf"), dtype=tl.float32)
    for start in range(0, cols, BLOCK):
        i = start + tl.arange(0, BLOCK)
        best = tl.maximum(best, tl.load(x_ptr + i, mask=i < cols, other=float("-inf")))
    peak = tl.max(best, axis=0)
    total = tl.zeros((BLOCK,), dtype=tl.float32)
    for start in range(0, cols, BLOCK):
        i = start + tl.arange(0, BLOCK)
        total += tl.exp(tl.load(x_ptr + i, mask=i < cols, other=float("-inf")) - peak)
    tl.store(out_ptr + row, peak + tl.log(tl.sum(total, axis=0)))


class ModelNew(nn.Module):
    def forward(self, x):
        out = torch.empty(x.shape[0], device=x.device, dtype=x.dtype)
        logsumexp_kernel[(x.shape[0],)](x, out, x.shape[1], BLOCK=128)
        return out
