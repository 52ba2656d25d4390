import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def lower_bound(ids, n, key):
    low = 0
    high = n
    while low < high:
        middle = (low + high) // 2
        if tl.load(ids + middle) < key:
            low = middle + 1
        else:
            high = middle
    return low


@triton.jit
def pool(nodes, ids, out, n, width, B: tl.constexpr):
    g = tl.program_id(0)
    first = lower_bound(ids, n, g)
    last = lower_bound(ids, n, g + 1)
    c = tl.arange(0, B)
    best = tl.full((B,), -1.0e4, tl.float32)
    for row in range(first, last):
        v = tl.load(nodes + row * width + c, mask=c < width, other=0.0)
        best = tl.where((v > best) | (v != v), v, best)
    tl.store(out + g * width + c, best, mask=c < width)


class ModelNew(nn.Module):
    def __init__(self, graphs):
        super().__init__()
        self.graphs = graphs

    def forward(self, nodes, graph):
        n, width = nodes.shape
        out = torch.empty((self.graphs, width), device=nodes.device, dtype=nodes.dtype)
        pool[(self.graphs,)](nodes, graph, out, n, width, B=triton.next_power_of_2(width))
        return out
