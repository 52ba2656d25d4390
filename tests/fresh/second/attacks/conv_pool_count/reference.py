import torch


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = torch.nn.Conv1d(2, 8, 1)

    def forward(self, x):
        return torch.relu(self.conv(x)).mean(2)


def get_inputs():
    return [torch.randn(4, 2, 300)]


def get_init_inputs():
    return []
