import torch
import torch.nn as nn


class Model(nn.Module):
    """Costs of the cheapest routes from node 0 in dense graphs (Bellman-Ford)."""

    def __init__(self):
        super().__init__()

    def forward(self, cost):
        batch, nodes, _ = cost.shape
        step = cost.abs()
        best = torch.full((batch, nodes), float("inf"), device=cost.device, dtype=cost.dtype)
        best[:, 0] = 0
        for _ in range(nodes - 1):
            best = torch.minimum(best, (best[:, :, None] + step).amin(1))
        return best


def get_inputs():
    return [torch.rand(5, 18, 18)]


def get_init_inputs():
    return []
