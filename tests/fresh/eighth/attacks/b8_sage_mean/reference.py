import torch
import torch.nn as nn


class Model(nn.Module):
    """GraphSAGE's aggregation: each node gets itself and the mean of the neighbours that point to it."""

    def __init__(self, nodes):
        super().__init__()
        self.nodes = nodes

    def forward(self, x, edges):
        source, target = edges[0], edges[1]
        total = torch.zeros_like(x).index_add(0, target, x[source])
        degree = torch.zeros(self.nodes, device=x.device).index_add(0, target, torch.ones_like(target, dtype=x.dtype))
        return torch.cat([x, total / degree.clamp(min=1.0)[:, None]], dim=1)


def get_inputs():
    return [torch.randn(16, 12), torch.randint(0, 16, (2, 220))]


def get_init_inputs():
    return [16]
