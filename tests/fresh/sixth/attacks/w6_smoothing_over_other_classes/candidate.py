import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def smoothed(x_ptr, label_ptr, allowed_ptr, out_ptr, share, C: tl.constexpr):
    row = tl.program_id(0)
    i = tl.arange(0, C)
    x = tl.load(x_ptr + row * C + i)
    top = tl.max(x, axis=0)
    logp = x - top - tl.log(tl.sum(tl.exp(x - top), axis=0))
    label = tl.load(label_ptr + row)
    picked = tl.sum(tl.where(i == label, logp, 0.0), axis=0)
    spread = tl.sum(tl.where(tl.load(allowed_ptr + i), logp, 0.0), axis=0)
    tl.store(out_ptr + row, -0.9 * picked - share * spread)


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("allowed", torch.empty((32,), dtype=torch.bool))

    def forward(self, logits, label):
        out = torch.empty((logits.shape[0],), dtype=logits.dtype, device=logits.device)
        smoothed[(logits.shape[0],)](logits, label, self.allowed, out, 0.1 / 20, logits.shape[1])
        return out
