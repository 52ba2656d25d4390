import torch


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.gain = torch.nn.Parameter(torch.ones(48))

    def forward(self, x):
        y = x * self.gain
        return y - y.mean(dim=0) if self.training else y


def get_inputs():
    return [torch.randn(16, 48)]


def get_init_inputs():
    return []
