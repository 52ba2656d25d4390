import torch


class Model(torch.nn.Module):
    def __init__(self, width, outputs):
        super().__init__()
        self.linear = torch.nn.Linear(width, outputs)

    def forward(self, x):
        return self.linear(x)


def get_inputs():
    return [torch.randn(16, 32)]


def get_init_inputs():
    return [32, 20]
