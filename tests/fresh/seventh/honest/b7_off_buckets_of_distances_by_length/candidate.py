import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def biased_softmax(s, bucket, bias, y, T, HEADS: tl.constexpr, B: tl.constexpr):
    i = tl.program_id(0)
    h = tl.program_id(1)
    j = tl.arange(0, B)
    m = j < T
    k = tl.load(bucket + i * T + j, mask=m, other=0)
    v = tl.load(s + (h * T + i) * T + j, mask=m, other=float("-inf")) + tl.load(bias + k * HEADS + h)
    v = tl.where(m, v, float("-inf"))
    e = tl.exp(v - tl.max(v, 0))
    tl.store(y + (h * T + i) * T + j, e / tl.sum(e, 0), mask=m)


class ModelNew(nn.Module):
    def __init__(self, heads):
        super().__init__()
        self.bias = nn.Parameter(torch.randn(9, heads))
        self._buckets = {}

    def _bucket(self, t, device):
        key = (t, device)
        if key not in self._buckets:
            gap = torch.arange(t, device=device)[None] - torch.arange(t, device=device)[:, None]
            self._buckets[key] = (gap.clamp(-4, 4) + 4).to(torch.int32)
        return self._buckets[key]

    def forward(self, scores):
        h, t, _ = scores.shape
        y = torch.empty_like(scores)
        biased_softmax[(t, h)](scores, self._bucket(t, scores.device), self.bias, y, t, HEADS=h,
                               B=triton.next_power_of_2(t))
        return y
