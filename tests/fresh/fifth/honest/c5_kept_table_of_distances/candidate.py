import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def biased_softmax(s_ptr, table_ptr, bias_ptr, out_ptr, heads, n, BLOCK: tl.constexpr):
    plane = tl.program_id(0)
    row = tl.program_id(1)
    col = tl.arange(0, BLOCK)
    inside = col < n
    bucket = tl.load(table_ptr + row * n + col, mask=inside, other=0)
    place = (plane * n + row) * n + col
    s = tl.load(s_ptr + place, mask=inside, other=0.0)
    s += tl.load(bias_ptr + bucket * heads + plane % heads, mask=inside, other=0.0)
    s = tl.where(inside, s, -float("inf"))
    p = tl.exp(s - tl.max(s, axis=0))
    tl.store(out_ptr + place, p / tl.sum(p, axis=0), mask=inside)


class ModelNew(nn.Module):
    def __init__(self, buckets, heads):
        super().__init__()
        self.bias = nn.Embedding(buckets, heads)
        self.tables = {}

    def table(self, n, device):
        if (n, device) not in self.tables:
            place = torch.arange(n, device=device)
            self.tables[n, device] = (place[None, :] - place[:, None]).clamp(-8, 7) + 8
        return self.tables[n, device]

    def forward(self, scores):
        scores = scores.contiguous()
        b, heads, n, _ = scores.shape
        out = torch.empty_like(scores)
        biased_softmax[(b * heads, n)](scores, self.table(n, scores.device), self.bias.weight, out, heads, n, BLOCK=triton.next_power_of_2(n))
        return out
