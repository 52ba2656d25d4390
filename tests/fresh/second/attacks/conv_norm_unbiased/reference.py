import torch


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = torch.nn.Conv1d(3, 6, 1)
        self.norm = torch.nn.InstanceNorm1d(6)

    def forward(self, x):
        return self.norm(self.conv(x))


def get_inputs():
    return [torch.randn(2, 3, 256)]


def get_init_inputs():
    return []
