import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def gather(edges_ptr, nodes_ptr, gain_ptr, out_ptr, NODES: tl.constexpr, WIDTH: tl.constexpr):
    graph = tl.program_id(0) // NODES
    node = tl.program_id(0) % NODES
    other = tl.arange(0, NODES)
    feature = tl.arange(0, WIDTH)
    edge = tl.load(edges_ptr + (graph * NODES + other) * NODES + node)
    nodes = tl.load(nodes_ptr + (graph * NODES + other[:, None]) * WIDTH + feature[None, :])
    total = tl.sum(edge[:, None] * nodes, 0)
    weight = 1.0 + tl.sum(tl.abs(edge), 0)
    gain = tl.load(gain_ptr + feature)
    tl.store(out_ptr + (graph * NODES + node) * WIDTH + feature, total * gain / weight)


class ModelNew(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.gain = nn.Parameter(torch.ones(width))

    def forward(self, edges, nodes):
        graphs, count, width = nodes.shape
        out = torch.empty_like(nodes)
        gather[(graphs * count,)](edges, nodes, self.gain, out, count, width)
        return out
