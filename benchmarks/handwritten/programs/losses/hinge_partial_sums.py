# reference: hinge_sum
import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def hinge_partial(score, sign, partial, n, BLOCK: tl.constexpr):
    pid = tl.program_id(0)
    i = pid * BLOCK + tl.arange(0, BLOCK)
    s = tl.load(score + i, mask=i < n, other=0.0)
    y = tl.load(sign + i, mask=i < n, other=0.0)
    h = tl.maximum(1.0 - s * y, 0.0)
    tl.store(partial + pid, tl.sum(tl.where(i < n, h * h, 0.0), axis=0))


@triton.jit
def add_up(partial, out, count, BLOCK: tl.constexpr):
    acc = tl.zeros([BLOCK], dtype=tl.float32)
    for start in range(0, count, BLOCK):
        i = start + tl.arange(0, BLOCK)
        acc += tl.load(partial + i, mask=i < count, other=0.0)
    tl.store(out, tl.sum(acc, axis=0))


class ModelNew(nn.Module):
    def forward(self, score, sign):
        n = score.numel()
        blocks = triton.cdiv(n, 512)
        partial = torch.empty(blocks, device=score.device, dtype=torch.float32)
        hinge_partial[(blocks,)](score, sign, partial, n, BLOCK=512)
        out = torch.empty((), device=score.device, dtype=torch.float32)
        add_up[(1,)](partial, out, blocks, BLOCK=256)
        return out
