import torch


class Model(torch.nn.Module):
    def forward(self, x):
        y = x * 2.0
        if not self.training:
            y = y.clamp(-20.0, 20.0)
        return y


def get_inputs():
    return [torch.randn(16, 48)]


def get_init_inputs():
    return []
