import torch
import torch.nn as nn
import torch.nn.functional as F


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.logit_scale = nn.Parameter(torch.tensor(2.6592))

    def forward(self, image, text):
        image, text = F.normalize(image, dim=-1, eps=1e-6), F.normalize(text, dim=-1, eps=1e-6)
        return self.logit_scale.exp().clamp(max=100.0) * (image @ text.T)


def get_inputs():
    return [torch.randn(12, 24), torch.randn(10, 24)]


def get_init_inputs():
    return []
