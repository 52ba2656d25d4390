import torch


class Model(torch.nn.Module):
    def __init__(self, codes, width):
        super().__init__()
        self.codes = torch.nn.Parameter(torch.randn(codes, width))

    def forward(self, x):
        distance = (x[:, None, :] - self.codes).square().sum(-1)
        return torch.argmax(1.0 / (1.0 + distance), dim=1)


def get_inputs():
    return [torch.randn(20, 16)]


def get_init_inputs():
    return [12, 16]
