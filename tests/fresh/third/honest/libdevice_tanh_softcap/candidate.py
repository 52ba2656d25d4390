import torch
import torch.nn as nn
import triton
import triton.language as tl
from triton.language.extra import libdevice


@triton.jit
def cap_softmax(x_ptr, c_ptr, p_ptr, n_cols, cap, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    mask = cols < n_cols
    x = tl.load(x_ptr + row * n_cols + cols, mask=mask, other=0.0)
    y = libdevice.tanh(x / cap) * cap
    tl.store(c_ptr + row * n_cols + cols, y, mask=mask)
    y = tl.where(mask, y, -float("inf"))
    e = tl.exp(y - tl.max(y, axis=0))
    tl.store(p_ptr + row * n_cols + cols, e / tl.sum(e, axis=0), mask=mask)


class ModelNew(nn.Module):
    def __init__(self, cap):
        super().__init__()
        self.cap = cap

    def forward(self, logits):
        logits = logits.contiguous()
        n = logits.shape[-1]
        capped = torch.empty_like(logits)
        probs = torch.empty_like(logits)
        cap_softmax[(logits.numel() // n,)](logits, capped, probs, n, self.cap, BLOCK=triton.next_power_of_2(n))
        return capped, probs
