import torch
import torch.nn as nn


class Model(nn.Module):
    """Lennard-Jones energies of atoms in a periodic box, softened at the core and cut at half a box."""

    def __init__(self, box, sigma):
        super().__init__()
        self.box = box
        self.sigma = sigma

    def forward(self, positions):
        delta = positions[:, None, :] - positions[None, :, :]
        delta = delta - self.box * torch.round(delta / self.box)
        square = delta.pow(2).sum(-1)
        near = (square < (self.box / 2) ** 2) & ~torch.eye(len(positions), dtype=torch.bool, device=positions.device)
        ratio = (self.sigma**2 / (square + 0.3 * self.sigma**2)) ** 3
        energy = 4 * (ratio * ratio - ratio)
        return torch.where(near, energy, torch.zeros_like(energy)).sum(1)


def get_inputs():
    return [torch.rand(45, 3) * 6.0 + torch.randn(45, 3) * 0.2]


def get_init_inputs():
    return [6.0, 1.0]
