import torch


class Model(torch.nn.Module):
    def forward(self, a, b):
        return torch.relu(a - b)


def get_inputs():
    return [torch.randn(16, 48), torch.randn(16, 48)]


def get_init_inputs():
    return []
