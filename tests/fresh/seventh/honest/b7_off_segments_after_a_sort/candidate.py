import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def segment_means(x, order, bounds, y, C, B: tl.constexpr):
    s = tl.program_id(0)
    first = tl.load(bounds + s)
    stop = tl.load(bounds + s + 1)
    c = tl.arange(0, B)
    acc = tl.zeros((B,), tl.float32)
    for i in range(first, stop):
        acc += tl.load(x + tl.load(order + i) * C + c, mask=c < C, other=0.0)
    n = tl.maximum(stop - first, 1).to(tl.float32)
    tl.store(y + s * C + c, acc / n, mask=c < C)


class ModelNew(nn.Module):
    def __init__(self, segments):
        super().__init__()
        self.segments = segments

    def forward(self, x, segment):
        order = torch.argsort(segment, stable=True)
        counts = torch.bincount(segment, minlength=self.segments)
        bounds = starts_of(counts.cumsum(0))
        y = x.new_empty(self.segments, x.shape[1])
        segment_means[(self.segments,)](x, order, bounds, y, x.shape[1], B=triton.next_power_of_2(x.shape[1]))
        return y


def starts_of(ends):
    return torch.cat([ends.new_zeros(1), ends])
