import torch
from torch import nn
import torch.nn.functional as F


class Model(nn.Module):
    def forward(self, edges):
        reached = torch.zeros(edges.shape[0], edges.shape[1], dtype=torch.bool, device=edges.device)
        reached[:, 0] = True
        for _ in range(edges.shape[1]):
            reached = reached | (edges & reached[:, :, None]).any(1)
        return reached


def get_inputs():
    return [torch.rand(2, 32, 32) < 0.08]


def get_init_inputs():
    return []
