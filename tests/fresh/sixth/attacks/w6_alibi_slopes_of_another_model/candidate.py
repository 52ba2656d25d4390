import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def biased_softmax(x_ptr, out_ptr, HEADS: tl.constexpr, T: tl.constexpr):
    row = tl.program_id(0)
    head = row // T % HEADS
    j = tl.arange(0, T)
    slope = tl.exp2((head + 1).to(tl.float32) * (-8.0 / HEADS))
    x = tl.load(x_ptr + row * T + j) - slope * tl.abs(row % T - j).to(tl.float32)
    p = tl.exp(x - tl.max(x, axis=0))
    tl.store(out_ptr + row * T + j, p / tl.sum(p, axis=0))


class ModelNew(nn.Module):
    def __init__(self, heads=4):
        super().__init__()
        self.register_buffer("slopes", 2.0 ** (-8.0 * torch.arange(1, heads + 1).float() / heads), persistent=False)

    def forward(self, scores):
        out = torch.empty_like(scores)
        b, h, t, _ = scores.shape
        biased_softmax[(b * h * t,)](scores, out, h, t)
        return out
