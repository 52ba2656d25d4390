import torch
import torch.nn as nn


class Model(nn.Module):
    """Unscales gradients and updates the loss scale, as torch.amp.GradScaler does."""

    def __init__(self):
        super().__init__()
        self.register_buffer("scale", torch.tensor(1024.0))
        self.register_buffer("tracker", torch.tensor(0))

    def forward(self, grads):
        bad = ~torch.isfinite(grads).all()
        out = grads / self.scale
        steps = torch.where(bad, torch.zeros_like(self.tracker), self.tracker + 1)
        grown = steps == 2000
        scale = torch.where(bad, self.scale * 0.5, torch.where(grown, self.scale * 2.0, self.scale))
        self.tracker.copy_(torch.where(grown, torch.zeros_like(steps), steps))
        self.scale.copy_(scale)
        return out


def get_inputs():
    return [torch.randn(700) * 100.0]


def get_init_inputs():
    return []
