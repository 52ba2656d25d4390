import torch
import torch.nn as nn
import triton
import triton.language as tl


SWEEPS = tl.constexpr(8)


@triton.jit
def relax(lengths_ptr, out_ptr, NODES: tl.constexpr):
    graph = tl.program_id(0)
    node = tl.arange(0, NODES)
    far = tl.where(node == 0, 0.0, float("inf"))
    for _ in range(SWEEPS):
        for via in range(NODES):
            here = tl.min(tl.where(node == via, far, float("inf")), 0)
            length = tl.abs(tl.load(lengths_ptr + (graph * NODES + via) * NODES + node))
            far = tl.minimum(far, here + length)
    tl.store(out_ptr + graph * NODES + node, far)


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, lengths):
        graphs, nodes = lengths.shape[0], lengths.shape[1]
        out = torch.empty((graphs, nodes), device=lengths.device, dtype=lengths.dtype)
        relax[(graphs,)](lengths, out, nodes)
        return out
