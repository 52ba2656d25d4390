import torch
from torch import nn


class Model(nn.Module):
    """Lengths of the shortest ways from the first node of each graph."""

    def forward(self, lengths):
        lengths = lengths.abs()
        graphs, nodes, _ = lengths.shape
        far = torch.full((graphs, nodes), float("inf"), dtype=lengths.dtype, device=lengths.device)
        far[:, 0] = 0.0
        for _ in range(nodes - 1):
            far = torch.minimum(far, (far.unsqueeze(-1) + lengths).amin(1))
        return far


def get_inputs():
    return [torch.rand(4, 16, 16) + 0.05]


def get_init_inputs():
    return []
