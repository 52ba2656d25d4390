import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def softmax_seen(x_ptr, out_ptr, ahead, T: tl.constexpr):
    row = tl.program_id(0)
    j = tl.arange(0, T)
    seen = j <= row % T + ahead
    x = tl.where(seen, tl.load(x_ptr + row * T + j), -float("inf"))
    p = tl.exp(x - tl.max(x, axis=0))
    tl.store(out_ptr + row * T + j, p / tl.sum(p, axis=0))


class ModelNew(nn.Module):
    def __init__(self, causal=True):
        super().__init__()
        self.causal = causal
        self.ahead = 0 if causal else 1 << 20

    def forward(self, scores):
        out = torch.empty_like(scores)
        softmax_seen[(scores.shape[0] * scores.shape[1],)](scores, out, self.ahead, scores.shape[2])
        return out
