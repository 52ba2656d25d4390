import torch


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.scale = torch.nn.Parameter(torch.full((24,), 0.05))

    def forward(self, x):
        return torch.clamp(torch.round(x / self.scale), -128, 127).to(torch.int8)


def get_inputs():
    return [torch.randn(10, 24)]


def get_init_inputs():
    return []
