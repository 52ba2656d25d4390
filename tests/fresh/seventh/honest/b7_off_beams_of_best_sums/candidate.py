import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def extend(logits, score, total, V, B: tl.constexpr):
    r = tl.program_id(0)
    c = tl.arange(0, B)
    v = tl.load(logits + r * V + c, mask=c < V, other=float("-inf"))
    v = v - tl.max(v, 0)
    v = v - tl.log(tl.sum(tl.exp(v), 0)) + tl.load(score + r)
    tl.store(total + r * V + c, v, mask=c < V)


class ModelNew(nn.Module):
    def __init__(self, k):
        super().__init__()
        self.k = k

    def forward(self, logits, score):
        total = torch.empty_like(logits)
        extend[(score.numel(),)](logits, score, total, logits.shape[-1], B=32)
        return torch.topk(total.view(score.shape[0], -1), self.k, dim=1).values
