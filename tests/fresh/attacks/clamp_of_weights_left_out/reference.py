import torch


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.logits = torch.nn.Parameter(torch.randn(48))

    def forward(self, x):
        return x * self.logits.clamp(-8.0, 8.0)


def get_inputs():
    return [torch.randn(16, 48)]


def get_init_inputs():
    return []
