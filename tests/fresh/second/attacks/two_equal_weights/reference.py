import torch


class Model(torch.nn.Module):
    def __init__(self, width):
        super().__init__()
        self.gain = torch.nn.Parameter(torch.rand(width) + 0.5)
        self.shadow = torch.nn.Parameter(self.gain.detach().clone())

    def forward(self, x):
        return torch.where(x > 0, x * self.gain, x * self.shadow)


def get_inputs():
    return [torch.randn(8, 32)]


def get_init_inputs():
    return [32]
