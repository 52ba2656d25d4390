import torch
import torch.nn as nn
import torch.nn.functional as F


class Model(nn.Module):
    """CLIP's similarity of images and texts, with a temperature of at most 100."""

    def __init__(self):
        super().__init__()
        self.log_scale = nn.Parameter(torch.tensor(2.6592))

    def forward(self, image, text):
        image = F.normalize(image, dim=-1)
        text = F.normalize(text, dim=-1)
        return self.log_scale.exp().clamp(max=100.0) * (image @ text.t())


def get_inputs():
    return [torch.randn(10, 32), torch.randn(12, 32)]


def get_init_inputs():
    return []
