import torch
import torch.nn as nn


class Model(nn.Module):
    """Solves Kepler's equation by Newton's method, and gives the position on the orbit."""

    def forward(self, anomaly, eccentricity):
        m = torch.remainder(anomaly, 2 * torch.pi)
        e = eccentricity.clamp(0.0, 0.999)
        angle = torch.full_like(m, torch.pi)
        for _ in range(30):
            angle = angle - (angle - e * torch.sin(angle) - m) / (1 - e * torch.cos(angle))
        return torch.cos(angle) - e, torch.sqrt(1 - e * e) * torch.sin(angle)


def get_inputs():
    return [torch.rand(300) * 6.2, torch.rand(300) * 0.6]


def get_init_inputs():
    return []
